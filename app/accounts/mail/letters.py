"""What Convive writes to people: plain text, short, and with the link that they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["recovery", "account invitation", "event invitation"]


@dataclass(frozen=True)
class Letter:
    """One e-mail to one person. Only its kind may be logged."""

    kind: Kind
    to: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)


def recovery(email: str, link: str, site: str) -> Letter:
    """Return the answer to “Forgot your password?”."""
    text = f"""\
Hello,

someone asked to reset the password of your Convive account at {site}.

To choose a new password, open this link. It works once, within one hour:

{link}

If you did not ask for this, ignore this e-mail. Your password stays as it is.
"""
    return Letter("recovery", email, "Reset your Convive password", text)


def account_invitation(email: str, link: str, site: str) -> Letter:
    """Return the invitation of an administrator to an account."""
    text = f"""\
Hello,

you have been invited to Convive at {site}. Convive plans who sits where.

To choose your password and sign in, open this link. It works once, within seven days:

{link}

If you did not expect this, ignore this e-mail.
"""
    return Letter("account invitation", email, "Your Convive account", text)


def event_invitation(email: str, link: str, site: str, days: int) -> Letter:
    """Return an invitation to plan an event. The event is not named: whoever reads the mailbox learns nothing of it."""
    span = "one day" if days == 1 else f"{days} days"
    text = f"""\
Hello,

you have been invited to help plan an event with Convive at {site}.

To accept, open this link. It works once, within {span}, and only for this e-mail address:

{link}

If you did not expect this, ignore this e-mail.
"""
    return Letter("event invitation", email, "Invitation to plan an event", text)
