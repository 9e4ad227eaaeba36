"""What the tests of all dials do: read the picture, move the controls."""

import base64
import re


def png(dial):
    return base64.b64decode(re.search(r'base64,([^"]+)"', dial.picture.value)[1])


def set_to(dial, **values):
    for name, value in values.items():
        dial.controls[name].value = value
    return dial.alt
