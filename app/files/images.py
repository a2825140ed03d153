"""Pictures that people upload: PNG and JPEG, decoded and written again, so that nothing but their pixels is kept."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_PIXELS = 24_000_000
LONGEST_SIDE = 2400
"""Pixels of the longer side that are kept: enough for the plan of a room on a large screen."""
MOST_BYTES = 3 << 20
MOST_STRETCHED = 20
"""How many times as long as the other one a side may be: a longer picture would be shrunk to a line."""
FORMATS = ("PNG", "JPEG")
NO_IMAGE = "This isn't a PNG or JPEG image. Choose a file that ends with .png, .jpg or .jpeg."
DAMAGED = "This image is damaged and can't be read. Save it again as PNG or JPEG."
TOO_LARGE = (
    f"This image has too many pixels; maximum {MOST_PIXELS // 1_000_000} million. Make it smaller and try again."
)
TOO_STRETCHED = (
    f"One side of this image is more than {MOST_STRETCHED} times as long as the other. Crop it and try again."
)


class ImageError(ValueError):
    """This image cannot be used."""


@dataclass(frozen=True)
class EncodedImage:
    """A picture as it is stored."""

    media_type: str
    width: int
    height: int
    data: bytes

    @property
    def digest(self) -> str:
        """What tells it from every other picture."""
        return hashlib.sha256(self.data).hexdigest()[:32]


def encode_again(data: bytes, longest: int = LONGEST_SIDE, most_bytes: int = MOST_BYTES) -> EncodedImage:
    """Return the picture without anything but its pixels, turned upright and no larger than is useful.

    It is decoded in the process of the caller, which should have limits of its own: see `app.files.uploads`.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415  only uploads of images need it

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise ImageError(TOO_LARGE)
                if max(opened.size) > MOST_STRETCHED * min(opened.size):
                    raise ImageError(TOO_STRETCHED)
                is_photo = opened.format in ("JPEG", "MPO")
                opened.draft(None, (longest, longest))  # a large JPEG is decoded smaller at once
                opened.load()
                upright = ImageOps.exif_transpose(opened)
                if upright.mode.startswith("I"):  # 16 bits of grey, which would all become white
                    upright = upright.convert("I").point(lambda value: value * (1 / 256)).convert("L")
                plain = upright.convert("RGB" if is_photo else "RGBA")
                plain.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageError(TOO_LARGE) from None
    except UnidentifiedImageError:
        raise ImageError(NO_IMAGE) from None
    except ImageError:
        raise
    except (OSError, SyntaxError, ValueError, TypeError, IndexError, EOFError, struct.error):
        raise ImageError(DAMAGED) from None
    return _written(plain, is_photo, most_bytes)


def _written(picture: Picture, is_photo: bool, most_bytes: int) -> EncodedImage:
    from PIL import Image  # noqa: PLC0415  as above

    # A new picture with the same pixels: whatever else the file said (place, camera, comments, profiles) is gone.
    clean = Image.new(picture.mode, picture.size)
    clean.paste(picture)
    file = io.BytesIO()
    if not is_photo:
        clean.save(file, "PNG", optimize=True)
        if len(file.getvalue()) <= most_bytes:
            return EncodedImage("image/png", *clean.size, file.getvalue())
        white = Image.new("RGB", clean.size, "white")
        white.paste(clean, mask=clean.getchannel("A"))
        clean, file = white, io.BytesIO()
    clean.save(file, "JPEG", quality=85, optimize=True)
    return EncodedImage("image/jpeg", *clean.size, file.getvalue())
