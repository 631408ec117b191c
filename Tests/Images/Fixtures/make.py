"""Makes the pictures beside this file: python3 make.py, with Pillow. What the tests expect of them stands in the tests.

Each is 48 x 32 pixels upright: a quarter in the corner at the top left is red, the rest is blue.
"""

import random

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


for orientation in range(1, 9):
    stored = upright() if orientation == 1 else upright().transpose(TURNS[orientation])
    stored.save(f"orientation-{orientation}.jpg", quality=90, exif=exif(orientation), comment=PLANTED)

turned = upright().transpose(TURNS[6])
turned.save("turned.webp", exif=exif(6))
turned.save("turned.png", exif=exif(6))
upright().save("progressive.jpg", progressive=True)
upright("L").save("gray.jpg")
upright("CMYK").save("cmyk.jpg")
upright().save("lossy.webp", quality=90)
upright().save("lossless.webp", lossless=True)

text = PngImagePlugin.PngInfo()
text.add_text("Comment", PLANTED)
text.add_itxt("XML:com.adobe.xmp", PLANTED)
upright().save("text.png", pnginfo=text)
upright("P").save("palette.png")
upright("1").save("bits.png")
upright("L").convert("I;16").save("deep.png")
clear = upright("RGBA")
clear.putalpha(128)
clear.save("clear.png")
clear.save("clear.webp", lossless=True)

frames = [upright().rotate(angle) for angle in (0, 90, 180)]
frames[0].save("moving.webp", save_all=True, append_images=frames[1:])
frames[0].save("moving.png", save_all=True, append_images=frames[1:])
frames[0].save("moving.gif", save_all=True, append_images=frames[1:])
for name in ("still.gif", "still.bmp", "still.tiff", "still.ico"):
    upright().save(name)

# Random bits, of which gd makes a larger file than this one, which is as large as may be.
random.seed(7)
noise = Image.frombytes("1", (716, 716), random.randbytes(716 * 90))
noise.save("noise.png")
