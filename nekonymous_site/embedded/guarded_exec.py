"""Become another program that does not outlive the process which started it.

Run as a file of its own: python -I -S guarded_exec.py PARENT_PID DEATH_SIGNAL USER PROGRAM [ARGUMENT...]
where USER is "-" or "uid:gid" and PROGRAM a path. The caller has put this process into its own session.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_EXECUTE = 127


def main(arguments: list[str]) -> int:
    """Drop privileges, tie this process to its parent's life and turn into the program."""
    parent_pid, death_signal, user, *program = arguments
    try:
        _become_user(user)
        _die_with_parent(signal.Signals(int(death_signal)))
        if os.getppid() != int(parent_pid):
            return CANNOT_EXECUTE  # the parent died before the kernel knew that we want to follow it
        _forget_inherited_habits()
        # No search along PATH: it would import modules, which this user may not be able to read any more.
        os.execv(program[0], program)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"cannot start {program[0]} (user {user}): {error.strerror}\n")
    return CANNOT_EXECUTE


def _become_user(user: str) -> None:
    if user == "-":
        return
    uid, gid = (int(number) for number in user.split(":"))
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def _die_with_parent(death_signal: signal.Signals) -> None:
    # The kernel forgets this wish whenever the user changes, so it comes after setuid.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _forget_inherited_habits() -> None:
    """Signals ignored by Python or by a background shell would stay ignored over exec."""
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # A core file would be a copy of every secret in memory.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
