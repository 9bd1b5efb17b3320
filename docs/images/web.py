"""Makes the pictures of the page, `web-*.png`: `python docs/images/web.py`, with chromium and playwright installed.

The guild in them is invented; see `tests/faces/http/guild.py`.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from recollect.admin import Admin  # noqa: E402 - found by the line above
from tests.faces.http import guild  # noqa: E402 - found by the line above
from tests.faces.http.browser import launched, opened  # noqa: E402 - found by the line above
from tests.faces.http.conftest import serving  # noqa: E402 - found by the line above

LENA = guild.PEOPLE["lena"]
KITCHEN = f"discord:{guild.GUILD}:channel:1180400000000000103"
PICTURES = {
    "web-overview": ("light", "/"),
    "web-person": ("light", f"/people/memos?user={LENA}"),
    "web-search": ("dark", "/search?q=What+is+Lena+allergic+to%3F"),
    "web-messages": ("dark", f"/messages?session={KITCHEN}"),
}


def main() -> None:
    model = guild.model()
    settings = {"run_worker": True, "model": model, "embedder": "static", "summary": {"enabled": False}}
    with TemporaryDirectory() as folder, launched() as browser, serving(Path(folder), **settings) as served:
        served.run(lambda memory: guild.live(memory, served.clock))
        served.run(lambda memory: memory.vectors.fill())
        served.run(lambda memory: Admin(memory, served.clock).name_guilds({guild.GUILD: "Repair Café"}))
        for name, (scheme, path) in PICTURES.items():
            size = {"width": 1240, "height": 740}
            with opened(browser, served, color_scheme=scheme, viewport=size, device_scale_factor=1.25) as window:
                window.sign_in().go(path)
                window.page.screenshot(path=HERE / f"{name}.png")


if __name__ == "__main__":
    main()
