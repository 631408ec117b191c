"""Makes the pictures beside this file: python3 make.py, with Pillow. What the tests expect of them stands in the tests.

Each is 48 x 32 pixels upright: a quarter in the corner at the top left is red, the rest is blue.
"""

import random
import struct
import zlib

from PIL import Image, PngImagePlugin

PLANTED = "PLANTED-SECRET"
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}


def upright(mode="RGB"):
    picture = Image.new("RGB", (48, 32), (0, 0, 255))
    picture.paste((255, 0, 0), (0, 0, 24, 16))
    return picture.convert(mode)


def exif(orientation):
    """Orientation, a description, and a place on earth."""
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010E] = PLANTED
    place = data.get_ifd(0x8825)
    place[1], place[2], place[3], place[4] = "N", (40.0, 25.0, 1.0), "W", (3.0, 42.0, 1.0)
    return data


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(name, channels, depth, red, blue, interlaced=False, more=b""):
    """What Pillow cannot write: 16 bits of each colour, interlaced ones, and chunks of one's own before the pixels."""
    rows = b""
    for left, top, right, down in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        for y in range(top, 32, down):
            row = [red if x < 24 and y < 16 else blue for x in range(left, 48, right)]
            rows += b"\0" + b"".join(struct.pack(f">{channels}{'H' if depth == 16 else 'B'}", *pixel) for pixel in row)
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 48, 32, depth, kind, 0, 0, interlaced)))
        file.write(more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


for orientation in range(1, 9):
    stored = upright() if orientation == 1 else upright().transpose(TURNS[orientation])
    stored.save(f"orientation-{orientation}.jpg", quality=90, exif=exif(orientation), comment=PLANTED)

turned = upright().transpose(TURNS[6])
turned.save("turned.webp", exif=exif(6))
turned.save("turned.png", exif=exif(6))
upright().save("progressive.jpg", progressive=True)
upright("L").save("gray.jpg")
upright("CMYK").save("cmyk.jpg")
upright("CMYK").save("cmyk-progressive.jpg", progressive=True, quality=90)
for name, sampling in (("whole", 0), ("wide", 1)):
    upright().save(f"{name}.jpg", subsampling=sampling)
upright().save("lossy.webp", quality=90)
upright().save("lossless.webp", lossless=True)

text = PngImagePlugin.PngInfo()
text.add_text("Comment", PLANTED)
text.add_itxt("XML:com.adobe.xmp", PLANTED)
upright().save("text.png", pnginfo=text)
upright("P").save("palette.png")
upright("1").save("bits.png")
png("deep.png", 3, 16, (0xC0C0, 0x4040, 0), (0, 0x4040, 0xC0C0))
png("deep-gray.png", 1, 16, (0x4040,), (0xC0C0,))
png("interlaced.png", 3, 8, (0xC0, 0x40, 0), (0, 0x40, 0xC0), interlaced=True)
png("linear.png", 3, 8, (0x80, 0x33, 0), (0, 0x33, 0x80), more=chunk(b"gAMA", struct.pack(">I", 100_000)))
clear_red, clear_blue = (0xC0C0, 0x4040, 0, 0x8080), (0, 0x4040, 0xC0C0, 0x8080)
png("deep-clear.png", 4, 16, clear_red, clear_blue)
png("interlaced-clear.png", 4, 16, clear_red, clear_blue, interlaced=True)
clear = upright("RGBA")
clear.putalpha(128)
clear.save("clear.png")
clear.save("clear.webp", lossless=True)
clear.save("clear-lossy.webp", quality=90)
clear.convert("LA").save("clear-gray.png")
upright("P").save("clear-palette.png", transparency=bytes([128]) * 256)

frames = [upright().rotate(angle) for angle in (0, 90, 180)]
frames[0].save("moving.webp", save_all=True, append_images=frames[1:])
frames[0].save("moving.png", save_all=True, append_images=frames[1:])
frames[0].save("moving.gif", save_all=True, append_images=frames[1:])
for name in ("still.gif", "still.bmp", "still.tiff", "still.ico"):
    upright().save(name)

# Random colours, which nothing makes smaller; the few bytes that the server's own file has more are too many.
random.seed(7)
noise = Image.frombytes("RGB", (145, 150), random.randbytes(145 * 150 * 3))
noise.save("noise.png")
