"""The tables of the database, one module per noun. No relationships: queries say what they read."""

from app.db.models.accounts import (
    ApiKey,
    Attempt,
    IdempotencyKey,
    KnownBrowser,
    OpenIdIdentity,
    SignInKey,
    User,
    UserSession,
)
from app.db.models.audit import AuditEntry
from app.db.models.base import NAME_LENGTH, Base
from app.db.models.door import Arrival
from app.db.models.events import Event, Member, Role
from app.db.models.guest_fields import FieldOption, GuestField, GuestValue
from app.db.models.guests import Group, GroupGuest, GroupRating, Guest, GuestImport, Party
from app.db.models.invitations import Invitation
from app.db.models.plans import Move, Plan, PlanEditor, Seat
from app.db.models.questions import AskedPair, QuestionBatch, QuestionDesk
from app.db.models.ratings import Rating, RatingMatrix
from app.db.models.rules import Rule, RuleGuest, RuleTable, RuleValue
from app.db.models.runs import Run, RunNames, RunShard
from app.db.models.second_factors import CodeApp, Passkey, PasskeyChallenge, PendingSignIn, RecoveryCode
from app.db.models.sharing import EventLogo, Link, Print
from app.db.models.tables import Room, RoomBackground, Table
from app.db.models.wishes import Wish, WishLink

__all__ = [
    "NAME_LENGTH",
    "ApiKey",
    "Arrival",
    "AskedPair",
    "Attempt",
    "AuditEntry",
    "Base",
    "CodeApp",
    "Event",
    "EventLogo",
    "FieldOption",
    "Group",
    "GroupGuest",
    "GroupRating",
    "Guest",
    "GuestField",
    "GuestImport",
    "GuestValue",
    "IdempotencyKey",
    "Invitation",
    "KnownBrowser",
    "Link",
    "Member",
    "Move",
    "OpenIdIdentity",
    "Party",
    "Passkey",
    "PasskeyChallenge",
    "PendingSignIn",
    "Plan",
    "PlanEditor",
    "Print",
    "QuestionBatch",
    "QuestionDesk",
    "Rating",
    "RatingMatrix",
    "RecoveryCode",
    "Role",
    "Room",
    "RoomBackground",
    "Rule",
    "RuleGuest",
    "RuleTable",
    "RuleValue",
    "Run",
    "RunNames",
    "RunShard",
    "Seat",
    "SignInKey",
    "Table",
    "User",
    "UserSession",
    "Wish",
    "WishLink",
]
