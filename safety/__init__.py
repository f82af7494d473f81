"""Sanctions: who may not write for now or for good, under a tag that names nobody and outlives a reset."""
