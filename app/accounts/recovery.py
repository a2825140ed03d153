"""“Forgot your password?”: who may ask for a link by e-mail, and how often."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from app.accounts.attempts import count_attempt
from app.accounts.users import clean_email
from app.accounts.visitor import limited_network
from app.errors import TooMany
from app.web.tokens import hash_token

WINDOW = timedelta(hours=1)
MOST_FOR_ADDRESS, MOST_FOR_NETWORK = 3, 20


class AskedTooOften(TooMany, retry_after=int(WINDOW.total_seconds())):
    """You have asked for this several times. Look in your inbox and in the spam folder, or try again in an hour."""


def count_request(session: Session, email: str, address: str) -> str:
    """Count a request for a link and return the e-mail address as it is stored; the account is not looked up.

    So an account that exists is limited like one that does not, and the answer takes as long.
    """
    email = clean_email(email)
    network = limited_network(address)
    try:
        if network:
            count_attempt(session, f"recovery from:{network}", most=MOST_FOR_NETWORK, window=WINDOW)
        count_attempt(session, f"recovery:{hash_token(email)}", most=MOST_FOR_ADDRESS, window=WINDOW)
    except TooMany:
        raise AskedTooOften from None
    return email
