"""The audit log in words, for pages and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.audit.actions import Action, Reason, Subject
from app.audit.queries import Entry
from app.sentences import count

SUBJECTS: dict[Subject, str] = {
    "sign-in": "Sign-ins",
    "account": "Accounts",
    "key": "API keys",
    "event": "Events and settings",
    "member": "Members",
    "link": "Links",
    "export": "Exports",
    "deletion": "Deletions",
    "plan": "Plans",
}
OF_EVENT: tuple[Subject, ...] = ("event", "member", "link", "export", "deletion", "plan")
HEADINGS = ("time", "account", "action", "concerns", "details", "network", "event")
WITHOUT_ACCOUNT, NOBODY = "Automatic, by command, or a deleted account", "Not signed in"
SENTENCES: dict[Action, str] = {
    Action.SIGNED_IN: "Signed in",
    Action.SIGN_IN_FAILED: "Sign-in failed",
    Action.SIGNED_OUT: "Signed out",
    Action.SESSIONS_ENDED: "Signed out other browsers",
    Action.ACCOUNT_CREATED: "Created an account",
    Action.ACCOUNT_INVITED: "Invited someone to create an account",
    Action.ACCOUNT_CHANGED: "Changed an account",
    Action.ACCOUNT_DISABLED: "Disabled an account",
    Action.ACCOUNT_ENABLED: "Enabled an account",
    Action.ACCOUNT_DELETED: "Deleted an account",
    Action.OPERATOR_ADDED: "Made an account an operator",
    Action.PASSWORD_CHANGED: "Changed a password",
    Action.RECOVERY_LINK_CREATED: "Created a link to reset a password",
    Action.SECOND_FACTOR_ADDED: "Added a second step to sign-in",
    Action.SECOND_FACTOR_REMOVED: "Removed a second step from sign-in",
    Action.KEY_CREATED: "Created an API key",
    Action.KEY_REVOKED: "Revoked an API key",
    Action.EVENT_CREATED: "Created the event",
    Action.EVENT_IMPORTED: "Created the event from a file",
    Action.EVENT_COPIED: "Created the event as a copy of another",
    Action.EVENT_DUPLICATED: "Duplicated the event",
    Action.EVENT_CHANGED: "Changed the settings",
    Action.EVENT_DELETED: "Deleted the event",
    Action.MEMBER_INVITED: "Created an invitation",
    Action.INVITATION_CLOSED: "Closed an invitation",
    Action.MEMBER_JOINED: "Accepted an invitation",
    Action.MEMBER_ADDED: "Added a member",
    Action.ROLE_CHANGED: "Changed a role",
    Action.MEMBER_REMOVED: "Removed a member",
    Action.MEMBER_LEFT: "Left the event",
    Action.OWNERSHIP_TRANSFERRED: "Transferred ownership",
    Action.LINK_CREATED: "Created a link",
    Action.LINK_CHANGED: "Changed a link",
    Action.LINK_CLOSED: "Closed a link",
    Action.WISH_LINKS_CREATED: "Created wish links",
    Action.WISH_LINKS_CLOSED: "Closed wish links",
    Action.EXPORTED: "Exported",
    Action.GUESTS_IMPORTED: "Imported guests",
    Action.GUESTS_TAKEN_OVER: "Took guests over from another event",
    Action.GUESTS_COPIED: "Took guests over into another event",
    Action.GUEST_REMOVED: "Removed a guest",
    Action.GUEST_ERASED: "Erased a guest for good",
    Action.RATINGS_DELETED: "Deleted all ratings",
    Action.PLAN_CREATED: "Created a plan",
    Action.PLAN_USED: "Put a plan into use",
    Action.PLAN_DELETED: "Deleted a plan",
    Action.PLAN_RESTORED: "Restored a plan",
}
REASONS: dict[Reason, str] = {
    "wrong": "wrong password or unknown account",
    "disabled": "disabled account",
    "too-many": "too many attempts",
    "code": "wrong code",
}
ABOUT_ACCOUNTS: tuple[str, ...] = ("member", "account", "sign-in")


def describe_action(entry: Entry) -> str:
    """Return what was done."""
    return SENTENCES[Action(entry.action)]


def describe_account(entry: Entry) -> str:
    """Return who did it."""
    if entry.user_id is None:
        return NOBODY if entry.subject == "sign-in" else WITHOUT_ACCOUNT
    return entry.user_name or "Someone"


def describe_details(entry: Entry) -> str:
    """Return more about it: to whom, which role, for whom, what."""
    known = entry.details
    whom = entry.subject_name if entry.subject in ABOUT_ACCOUNTS and entry.subject_id != entry.user_id else None
    role = f"{known['earlier_role']} → {known['role']}" if known.get("earlier_role") else known.get("role")
    what = known.get("content", "").replace("-", " ")
    parts = [
        whom,
        role,
        f"for {known['audience']}" if "audience" in known else None,
        f"{what} as {known['format'].upper()}" if "format" in known else what,
        known.get("way", "").replace("-", " "),
        REASONS.get(known.get("reason", "")),
        f"version {known['version']}" if "version" in known else None,
        f"{known['count']:,}" if "count" in known else None,
        f"valid for {count(known['days'], 'day')}" if "days" in known else None,
    ]
    return ", ".join(part for part in parts if part)


def table_rows(found: Iterable[Entry]) -> Iterator[list[str]]:
    """Yield the lines of a file, its headings first."""
    yield list(HEADINGS)
    for entry in found:
        yield [
            f"{entry.at:%Y-%m-%dT%H:%M:%SZ}",
            describe_account(entry),
            entry.action,
            str(entry.subject_id or ""),
            describe_details(entry),
            entry.network,
            str(entry.event_id or ""),
        ]
