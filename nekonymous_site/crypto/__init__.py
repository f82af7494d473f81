"""Cryptography of the house: the lowest layer, which imports nothing else of ours.

| module | holds |
|---|---|
| `identifiers` | the types of ids, tags and ciphertexts |
| `errors` | everything that can go wrong, as named errors |
| `keyring`, `process_keys` | master keys and pepper, and the one set this process uses |
| `blind_tags` | keyed one-way values under which rows are found |
| `capabilities` | the 32 bytes that open a ticket, and the token that withdraws it |
| `sealed_envelope` | sealing of account-scoped records |
| `ticket_capsules` | sealing of a ticket's route, payload and meta |
| `envelope_format`, `plaintext_padding`, `aead`, `key_derivation` | the parts of sealing |
| `byte_framing`, `base64url` | unambiguous bytes and texts |

Primitives come from libsodium (PyNaCl) and OpenSSL (`cryptography`); no primitive is written here.
"""
