/** Requests to the sandbox this page came from. */

/** The sandbox refused, or does not answer; the message is for people. */
export class SandboxRefused extends Error {}

/**
 * @param {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  let response;
  try {
    response = await fetch(`/sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new SandboxRefused("the sandbox does not answer");
  }
  if (response.status === 204) return {};
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new SandboxRefused(answer.error ?? `${response.status} ${response.statusText}`);
  return answer;
}

export const get = (/** @type {string} */ path) => call("GET", path);
export const post = (/** @type {string} */ path, body = {}) => call("POST", path, body);
export const put = (/** @type {string} */ path, body = {}) => call("PUT", path, body);
export const patch = (/** @type {string} */ path, body = {}) => call("PATCH", path, body);
export const remove = (/** @type {string} */ path) => call("DELETE", path);
