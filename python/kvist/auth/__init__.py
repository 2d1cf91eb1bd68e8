"""Tokens instead of passwords: what providers of them are made of, at redis-py's places.

A :class:`kvist.CredentialProvider` may get its password from a token. It is asked whenever a
connection is made, so a connection that the server ends with its token is followed by one with the
next.
"""
