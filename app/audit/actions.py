"""What the audit log can say: a closed list of actions, and details that have no room for free text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Subject = Literal["sign-in", "account", "key", "event", "member", "link", "export", "deletion", "plan"]
"""What an action is about; people filter by it."""
Way = Literal[
    "password", "local", "set-up", "invitation", "recovery-link", "passkey", "code", "openid", "removes-second-step"
]
"""How somebody signed in, or what a link does."""
Reason = Literal["wrong", "disabled", "too-many", "code"]
"""Why a sign-in failed."""
PrintedDocument = Literal[
    "place-cards",
    "escort-cards",
    "table-cards",
    "table-numbers",
    "chart-names",
    "chart-tables",
    "floor-plan",
    "check-in",
    "caterer",
    "door-poster",
]
"""What can be printed of a plan; `app/sharing/printing` prints these."""
Content = Literal[
    "event", "guests", "ratings", "group-ratings", "wishes", "rules", "seating", "guest", "audit", PrintedDocument
]
"""What was exported or printed."""
Format = Literal["xlsx", "json", "csv", "zip", "pdf", "svg", "png"]
Role = Literal["viewer", "editor", "owner"]
Audience = Literal["guests", "venue", "planner", "door"]


class Action(StrEnum):
    """Everything that is recorded. What is stored stays: never rename a value."""

    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    SESSIONS_ENDED = "sessions-ended"
    ACCOUNT_CREATED = "account-created"
    ACCOUNT_INVITED = "account-invited"
    ACCOUNT_CHANGED = "account-changed"
    ACCOUNT_DISABLED = "account-disabled"
    ACCOUNT_ENABLED = "account-enabled"
    ACCOUNT_DELETED = "account-deleted"
    OPERATOR_ADDED = "operator-added"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105  the name of an action
    RECOVERY_LINK_CREATED = "recovery-link-created"
    SECOND_FACTOR_ADDED = "second-factor-added"
    SECOND_FACTOR_REMOVED = "second-factor-removed"
    KEY_CREATED = "key-created"
    KEY_REVOKED = "key-revoked"
    EVENT_CREATED = "event-created"
    EVENT_IMPORTED = "event-imported"
    EVENT_COPIED = "event-copied"
    EVENT_DUPLICATED = "event-duplicated"
    EVENT_CHANGED = "event-changed"
    EVENT_DELETED = "event-deleted"
    MEMBER_INVITED = "member-invited"
    INVITATION_CLOSED = "invitation-closed"
    MEMBER_JOINED = "member-joined"
    MEMBER_ADDED = "member-added"
    ROLE_CHANGED = "role-changed"
    MEMBER_REMOVED = "member-removed"
    MEMBER_LEFT = "member-left"
    OWNERSHIP_TRANSFERRED = "ownership-transferred"
    LINK_CREATED = "link-created"
    LINK_CHANGED = "link-changed"
    LINK_CLOSED = "link-closed"
    WISH_LINKS_CREATED = "wish-links-created"
    WISH_LINKS_CLOSED = "wish-links-closed"
    EXPORTED = "exported"
    GUESTS_IMPORTED = "guests-imported"
    GUESTS_TAKEN_OVER = "guests-taken-over"
    GUESTS_COPIED = "guests-copied"
    GUEST_REMOVED = "guest-removed"
    GUEST_ERASED = "guest-erased"
    RATINGS_DELETED = "ratings-deleted"
    PLAN_CREATED = "plan-created"
    PLAN_USED = "plan-used"
    PLAN_DELETED = "plan-deleted"
    PLAN_RESTORED = "plan-restored"

    @property
    def subject(self) -> Subject:
        """What the action is about."""
        return _SUBJECTS[self]


@dataclass(frozen=True)
class Details:
    """More about an action. Every field is a number or one of a few words, so no name, address or rating gets in."""

    role: Role | None = None
    earlier_role: Role | None = None
    audience: Audience | None = None
    content: Content | None = None
    format: Format | None = None
    way: Way | None = None
    reason: Reason | None = None
    count: int | None = None
    version: int | None = None
    """The number of a plan."""
    days: int | None = None


NO_DETAILS = Details()

_SUBJECTS: dict[Action, Subject] = {
    Action.SIGNED_IN: "sign-in",
    Action.SIGN_IN_FAILED: "sign-in",
    Action.SIGNED_OUT: "sign-in",
    Action.SESSIONS_ENDED: "sign-in",
    Action.ACCOUNT_CREATED: "account",
    Action.ACCOUNT_INVITED: "account",
    Action.ACCOUNT_CHANGED: "account",
    Action.ACCOUNT_DISABLED: "account",
    Action.ACCOUNT_ENABLED: "account",
    Action.ACCOUNT_DELETED: "account",
    Action.OPERATOR_ADDED: "account",
    Action.PASSWORD_CHANGED: "account",
    Action.RECOVERY_LINK_CREATED: "account",
    Action.SECOND_FACTOR_ADDED: "account",
    Action.SECOND_FACTOR_REMOVED: "account",
    Action.KEY_CREATED: "key",
    Action.KEY_REVOKED: "key",
    Action.EVENT_CREATED: "event",
    Action.EVENT_IMPORTED: "event",
    Action.EVENT_COPIED: "event",
    Action.EVENT_DUPLICATED: "export",
    Action.EVENT_CHANGED: "event",
    Action.EVENT_DELETED: "deletion",
    Action.MEMBER_INVITED: "member",
    Action.INVITATION_CLOSED: "member",
    Action.MEMBER_JOINED: "member",
    Action.MEMBER_ADDED: "member",
    Action.ROLE_CHANGED: "member",
    Action.MEMBER_REMOVED: "member",
    Action.MEMBER_LEFT: "member",
    Action.OWNERSHIP_TRANSFERRED: "member",
    Action.LINK_CREATED: "link",
    Action.LINK_CHANGED: "link",
    Action.LINK_CLOSED: "link",
    Action.WISH_LINKS_CREATED: "link",
    Action.WISH_LINKS_CLOSED: "link",
    Action.EXPORTED: "export",
    Action.GUESTS_IMPORTED: "event",
    Action.GUESTS_TAKEN_OVER: "event",
    Action.GUESTS_COPIED: "export",
    Action.GUEST_REMOVED: "deletion",
    Action.GUEST_ERASED: "deletion",
    Action.RATINGS_DELETED: "deletion",
    Action.PLAN_CREATED: "plan",
    Action.PLAN_USED: "plan",
    Action.PLAN_DELETED: "plan",
    Action.PLAN_RESTORED: "plan",
}
