"""The composition root: it may know every plane, no plane knows it.

Nothing is imported here, since the launcher reads nekonymous_site.environment before Django is installed.
"""
