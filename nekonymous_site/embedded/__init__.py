"""The launcher behind ./neko: its virtual environment, its embedded Postgres and Valkey, its processes.

Only the standard library is used here, since most of it runs before anything is installed.
"""
