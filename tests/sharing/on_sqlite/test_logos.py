"""The logo of an event: uploaded, printed, deleted."""

from __future__ import annotations

import io
from functools import partial

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import EventLogo
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.files.pdf.typesetting import typeset
from app.sharing.logo.logos import LONGEST_SIDE
from app.sharing.printing.documents import build_document
from app.sharing.printing.options import PrintOptions, What
from app.sharing.printing.seating import read_seating
from tests.factories import Planned, make_plan
from tests.files.pdf.reading import read_pages
from tests.loops import in_a_loop
from tests.pages import faults_of


def red_picture(width: int = 1800, height: int = 900) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#c00000").save(file, "PNG", pnginfo=None)
    return file.getvalue()


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    planned = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
    session.commit()
    return planned


def count_logos(sessions: Sessions) -> int | None:
    with transaction(sessions, read_only=True) as session:
        return session.scalar(select(func.count()).select_from(EventLogo))


def test_logo_is_uploaded_shown_and_deleted(
    web: TestClient, api: TestClient, made: Planned, sessions: Sessions
) -> None:
    page = f"/events/{made.event.id}/logo"
    sent = web.post(f"{page}?plan={made.plan.id}", files={"file": ("logo.png", red_picture())})
    assert sent.headers["location"] == f"{page}?plan={made.plan.id}&done=saved"
    shown = Image.open(io.BytesIO(web.get(f"{page}/image").content))
    assert (shown.format, max(shown.size)) == ("PNG", LONGEST_SIDE)
    assert "Change logo" in web.get(f"/events/{made.event.id}/plans/{made.plan.id}/print?wait=1").text
    tag = api.get(f"events/{made.event.id}/logo").headers["etag"]
    assert api.get(f"events/{made.event.id}/logo", headers={"If-None-Match": tag}).status_code == 304
    assert web.post(f"{page}/remove").headers["location"] == f"{page}?done=deleted"
    assert (count_logos(sessions), api.get(f"events/{made.event.id}/logo").status_code) == (0, 404)


def test_file_that_is_no_image_is_refused(web: TestClient, api: TestClient, made: Planned, sessions: Sessions) -> None:
    refused = web.post(f"/events/{made.event.id}/logo", files={"file": ("logo.png", b"<svg/>")})
    assert (refused.status_code, len(faults_of(refused.text))) == (422, 1)
    answer = api.put(f"events/{made.event.id}/logo", content=b"GIF89a", headers={"Content-Type": "image/png"})
    assert (answer.status_code, count_logos(sessions)) == (422, 0)


def test_logo_is_printed_and_goes_with_its_event(
    api: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    root = f"events/{made.event.id}"
    put = api.put(f"{root}/logo", content=red_picture(), headers={"Content-Type": "image/png"})
    assert put.status_code == 204
    with transaction(sessions, read_only=True) as session:
        plan = read_seating(open_event(session, owner, made.event.id), made.plan.id)
    kinds: tuple[What, ...] = ("place-cards", "table-cards", "chart-names", "check-in")
    for what in kinds:
        document = build_document(plan, PrintOptions(what, theme="modern"))
        printed = in_a_loop(partial(typeset, document))
        assert printed.missing == ()
        assert read_pages(printed.content)[0].has_colour((192, 0, 0))
    api.delete(root, headers={"If-Match": "*"})
    assert count_logos(sessions) == 0
