"""Printing a plan: choose what and how, look at the first page, download the PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar, get_args
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Request, Response
from starlette.datastructures import FormData

from app.db.models import Event
from app.errors import NotFound
from app.events.context import EditorContext, ViewerContext
from app.events.exports import record_export
from app.files.pdf.card_stock import INCH, PAPERS
from app.guests.name_order import language_of
from app.guests.public_names import Namesake, find_namesakes
from app.sharing.links import guests_address
from app.sharing.printing import options as choices
from app.sharing.printing.documents import first_page, page_size
from app.sharing.printing.jobs import PrintJob, check_glyphs, read_job
from app.sharing.printing.missing_glyphs import names_with
from app.sharing.printing.options import Order, PrintOptions, ThemeKey, What
from app.sharing.printing.prints import EarlierPrint, record_print
from app.sharing.printing.typesetting_queue import Typesetting
from app.sharing.printing.views import build_view
from app.web.after_transaction import AfterTransaction
from app.web.deps import get_settings, guard_form, is_only_here, own_address
from app.web.html.attachments import attachment
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.link_tokens import link_key
from app.web.one_hop import InThread, Router

T = TypeVar("T")
router = Router(dependencies=[Depends(guard_form)])
PLAN = "/events/{event_id}/plans/{plan_id}"
PREVIEW_PIXELS = 660
SOON = 1.5
"""Seconds that the page waits for its document before it is shown without."""
PDF_TYPE = "application/pdf"


@dataclass(frozen=True)
class PrintPage:
    """The choices, the first page as a picture, and what prevents printing."""

    event: Event
    plan_address: str
    name: str
    """What is printed, with the round that it shows."""
    rounds: Sequence[tuple[str, str]]
    """Of what shows one of several rounds, the same of each: addresses and names."""
    address: str
    is_for_all_rounds: bool
    """Whether each guest has one card for several rounds."""
    options: PrintOptions
    kinds: Sequence[tuple[str, str]]
    papers: Sequence[tuple[str, str]]
    layouts: Sequence[tuple[str, str]]
    themes: Sequence[tuple[str, str]]
    orders: Sequence[tuple[str, str]]
    has_perforation: bool
    fields: dict[str, str]
    query: str
    missing: Sequence[str]
    missing_names: Sequence[str]
    guest_count: int
    card_count: int
    sheet_count: int
    last: EarlierPrint | None
    since: EarlierPrint | None
    preview: tuple[int, int]
    may_edit: bool
    plan_id: UUID
    has_logo: bool
    namesakes: Sequence[Namesake] = ()
    lacks_link: bool = False
    is_only_here: bool = False
    is_made: bool = True
    section: str = "plan"


def read_page_job(request: Request, ctx: ViewerContext, plan_id: UUID, what: str = "") -> PrintJob:
    """Return the job that the address describes."""
    options = read_options(request.query_params, what if request.url.path.endswith(".pdf") else "")
    language = language_of(request.headers.get("accept-language", ""))
    since = read_id(request.query_params.get("since", ""))
    job = read_job(ctx, plan_id, options, language=language, since=since)
    if options.what != choices.DOOR_POSTER:
        return job
    key = link_key(get_settings(request))
    return replace(job, seat_address=guests_address(ctx.session, ctx.event_id, own_address(request), key))


PageJob = Annotated[PrintJob, InThread(read_page_job)]


@router.get(PLAN + "/print")
def show_print(request: Request, job: PageJob, line: Typesetting, wait: str = "") -> Response:
    """Show the choices and a preview; where that takes long, first a page that says so and goes on to the one with it.

    The second one waits.
    """
    if not job.plan.guests or _lacks_link(job):
        return render(request, "sharing/print.html", _page(request, job, (), (210, 297)))
    document = job.document()

    async def build() -> Response:
        made = await (line.typeset(job.account, document) if wait else line.typeset_soon(job.account, document, SOON))
        page = _page(request, job, made.missing if made else (), page_size(document))
        return render(request, "sharing/print.html", replace(page, is_made=made is not None))

    return AfterTransaction(build)


async def read_print_form(request: Request) -> FormData:
    """Return the form that was sent."""
    return await request.form()


@router.post(PLAN + "/print")
def print_cards(ctx: EditorContext, plan_id: UUID, form: Annotated[FormData, Depends(read_print_form)]) -> Response:
    """Remember what the cards say now, and go to the PDF."""
    fields = {key: str(value) for key, value in form.items()}
    options = read_options(fields)
    record_print(ctx, plan_id, options)
    extra = {key: fields[key] for key in ("since", "missing", "link") if fields.get(key)}
    query = urlencode({**option_fields(options), **extra})
    return redirect(event_address(ctx.event_id, f"plans/{plan_id}/print/{options.what}.pdf?{query}"))


@router.get(PLAN + "/print/preview.png")
def show_preview(job: PageJob, line: Typesetting) -> Response:
    """Send the first page as a picture."""
    document = first_page(job.document())
    ppi = PREVIEW_PIXELS / page_size(document)[0] * INCH

    async def build() -> Response:
        made = await line.typeset(job.account, document, "png", ppi)
        return Response(made.content, media_type="image/png")

    return AfterTransaction(build)


@router.get(PLAN + "/print/view")
def show_print_view(request: Request, job: PageJob) -> Response:
    """Show the same as a page, for the browser to print with the fonts that it has."""
    view = replace(build_view(job), is_only_here=bool(job.seat_address) and is_only_here(request))
    return render(request, "sharing/print_view.html", view)


@router.get(PLAN + "/print/{what}.pdf")
def download_pdf(request: Request, job: PageJob, line: Typesetting, missing: str = "") -> Response:
    """Send the PDF; if characters are missing, only to those who accept boxes in their place."""
    document, event_id = job.document(), job.event.id
    headers = {"Content-Disposition": attachment(job.file_name, "pdf", job.options.what)}

    async def build() -> Response:
        made = await line.typeset(job.account, document)
        if missing != "boxes":
            check_glyphs(job.plan, made)
        await record_export(request, job.account, event_id, job.options.what, "pdf")
        return Response(made.content, media_type=PDF_TYPE, headers=headers)

    return AfterTransaction(build)


def read_options(fields: Mapping[str, str], what: str = "") -> PrintOptions:
    """Read the choices from an address or a form; what is unknown or left out is the usual choice."""
    kind: What = _one_of(what or fields.get("what", ""), get_args(What))
    if what and what != kind:
        raise NotFound("There is nothing of this name to print.")
    usual = PrintOptions(what=kind)
    paper = fields.get("paper", "")
    papers = choices.list_papers(usual.what)
    is_sent = "chosen" in fields  # a form leaves out the boxes that are not ticked

    def ticked(name: str, otherwise: bool) -> bool:
        return fields[name] not in ("", "0") if name in fields else otherwise and not is_sent

    return replace(
        usual,
        paper=next((one for one in papers if one == paper), usual.paper),
        layout=fields.get("layout", ""),
        theme=_one_of(fields.get("theme", ""), get_args(ThemeKey)),
        order=_one_of(fields.get("order", ""), get_args(Order)),
        crop=ticked("crop", usual.crop),
        with_table=ticked("table", usual.with_table),
        marks=ticked("marks", usual.marks),
    )


def option_fields(options: PrintOptions) -> dict[str, str]:
    """Return the choices as an address has them."""
    stock = options.stock
    fields: dict[str, str] = {"what": options.what, "paper": options.paper, "theme": options.theme}
    if stock is not None:
        fields |= {"layout": stock.key, "crop": str(int(options.crop))}
    if options.what in choices.SORTED:
        fields["order"] = options.order
    if options.what == "place-cards":
        fields |= {"table": str(int(options.with_table)), "marks": str(int(options.marks))}
    return fields


def _one_of(text: str, known: tuple[T, ...]) -> T:
    return next((one for one in known if one == text), known[0])


def _page(request: Request, job: PrintJob, missing: Sequence[str], size: tuple[float, float]) -> PrintPage:
    options, stock = job.options, job.options.stock
    fields = option_fields(options) | ({"since": str(job.since.id)} if job.since else {})
    cards = job.card_count
    return PrintPage(
        event=job.event,
        plan_address=event_address(job.event.id, f"plans/{job.plan_id}"),
        name=job.name,
        rounds=[(_address(job, one.plan_id), f"Round {one.number}") for one in job.rounds]
        if choices.shows_one_round(options.what, job.plan.round)
        else [],
        address=_address(job, job.plan_id),
        is_for_all_rounds=bool(job.rounds) and options.what in choices.OF_GUESTS,
        options=replace(options, layout=stock.key if stock else ""),
        kinds=[(key, name) for key, name in choices.NAMES.items() if job.can_edit or key not in choices.EDITORS_ONLY],
        papers=[(key, PAPERS[key].name) for key in choices.list_papers(options.what)],
        layouts=[(one.key, one.name) for one in choices.list_stock(options.what, options.paper)],
        themes=list(choices.THEMES.items()),
        orders=list(choices.ORDERS.items()) if options.what in choices.SORTED else [],
        has_perforation=bool(stock and stock.perforated),
        fields=fields,
        query=urlencode(fields),
        missing=missing,
        missing_names=names_with(job.plan, missing),
        guest_count=len(job.plan.guests),
        card_count=cards,
        sheet_count=-(-cards // stock.per_sheet) if stock else 0,
        last=job.last,
        since=job.since,
        preview=(PREVIEW_PIXELS, round(PREVIEW_PIXELS * size[1] / size[0])),
        may_edit=job.can_edit,
        lacks_link=_lacks_link(job),
        is_only_here=bool(job.seat_address) and is_only_here(request),
        plan_id=job.plan_id,
        has_logo=job.plan.logo is not None,
        namesakes=_namesakes(job) if job.can_edit else (),
    )


def _address(job: PrintJob, plan_id: UUID) -> str:
    """Return the address of this page with the same choices for a plan; what changed since a print is of one round."""
    return event_address(job.event.id, f"plans/{plan_id}/print?{urlencode(option_fields(job.options))}")


def _namesakes(job: PrintJob) -> tuple[Namesake, ...]:
    guests = job.plan.guests
    return find_namesakes(((one.id, one.name) for one in guests), {one.id: one.listed for one in guests})


def _lacks_link(job: PrintJob) -> bool:
    return job.options.what == choices.DOOR_POSTER and not job.seat_address
