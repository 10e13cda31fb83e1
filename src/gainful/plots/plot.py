"""A picture: an Altair chart that notebooks show and that is saved to a file."""

from __future__ import annotations

from copy import deepcopy
from functools import wraps
from inspect import signature
from json import dumps
from os import fspath
from os.path import splitext

from gainful.errors import ArgumentError, ParameterError
from gainful.keywords import suggest_keywords
from gainful.packages import load_package
from gainful.project_file import color_of
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any, ParamSpec, Protocol, overload

    from altair.typing import ChartType

    Chart = Any

    #: Rows, or the name of a data set that the page provides.
    Rows = list[dict[str, Any]] | str

    P = ParamSpec("P")

    class Plotted(Protocol):
        """A result with pictures."""

        def plot(self, picture: str | None = None, **options: object) -> Plot:
            """Draw a picture."""

    class Picture(Protocol[P]):
        """A function that draws rows, or a result that has this picture."""

        @overload
        def __call__(self, *args: P.args, **options: P.kwargs) -> Plot: ...
        @overload
        def __call__(self, result: Plotted, /, **options: object) -> Plot: ...


__all__ = [
    "LOSS",
    "PALETTE",
    "TIE",
    "WIN",
    "Plot",
    "altair",
    "categories",
    "check_suffix",
    "color_and_shape",
    "name_axis",
    "number_axis",
    "picture",
    "shortened",
    "signed_axis",
    "system_channels",
    "to_data",
    "win_color",
]


#: One color per system; neighbors remain distinct with the common forms of color blindness.
PALETTE = (
    "#2b7bd1",
    "#d2660f",
    "#1f9468",
    "#b653b0",
    "#7d6fe0",
    "#c2456a",
    "#8a7a12",
    "#12909c",
)
WIN, LOSS, TIE = "#2b7bd1", "#d2660f", "#7a8594"

#: The most letters of a name on an axis, and in a legend.
LONGEST_NAME, _LONGEST_ENTRY = 52, 32


def altair() -> Any:
    """Import and return Altair."""
    return load_package("altair", where="plots", extra="report")


def to_data(rows: Rows) -> Any:
    """Convert rows, or the name of a data set, to Altair data."""
    alt = altair()
    return alt.NamedData(rows) if isinstance(rows, str) else alt.Data(values=rows)


def shortened(text: str, longest: int = 40) -> str:
    """Return a text without its middle if it is long; names often differ at their ends.

    Examples
    --------
    >>> shortened("bm25"), shortened("organization/a-long-name-v2", 15)
    ('bm25', 'organiz…name-v2')
    """
    if len(text) <= longest:
        return text
    start = (longest - 1) // 2
    return f"{text[:start]}…{text[start + 1 - longest :]}"


def shortened_labels(longest: int) -> str:
    """Return the expression of labels that are shortened like texts."""
    start = (longest - 1) // 2
    name = "datum.label"
    short = f"slice({name}, 0, {start}) + '…' + slice({name}, {start + 1 - longest})"
    return f"length({name}) > {longest} ? {short} : {name}"


def name_axis() -> Any:
    """Return an axis of names."""
    return altair().Axis(labelLimit=0, labelExpr=shortened_labels(LONGEST_NAME))


def legend(names: list[str]) -> Any:
    """Return a legend above the chart, whose columns fit its labels."""
    return altair().Legend(
        title=None,
        orient="top",
        columns=legend_columns(names),
        # Space for viewers whose font is wider.
        columnPadding=10 + 0.6 * _longest_entry(names),
        labelLimit=0,
        labelExpr=shortened_labels(_LONGEST_ENTRY),
    )


def legend_columns(names: list[str], width: float = 480) -> int:
    """Return the number of columns of a legend that fit into a width in pixels.

    Examples
    --------
    >>> legend_columns(["bm25", "dense"]), legend_columns(["bm25", "dense"], 100)
    (4, 1)
    """
    # The symbol, the space between columns, and 6 pixels per letter.
    return max(1, min(4, int(width // (6.6 * _longest_entry(names) + 30))))


def _longest_entry(names: list[str]) -> int:
    return min(max(map(len, names), default=0), _LONGEST_ENTRY)


def win_color(win: str) -> Any:
    """Return the color channel of wins and losses."""
    alt = altair()
    scale = alt.Scale(domain=[True, False], range=[WIN, LOSS])
    return alt.Color(f"{win}:N", scale=scale, legend=None)


def number_axis(**options: Any) -> Any:
    """Return an axis of numbers with few labels, which do not overlap."""
    axis = {"tickCount": 6, "labelOverlap": "greedy", "labelSeparation": 8, "labelFlush": False}
    return altair().Axis(**{**axis, **options})


def count_axis(**options: Any) -> Any:
    """Return an axis that labels whole numbers only."""
    return number_axis(
        tickMinStep=1, labelExpr="datum.value % 1 ? '' : format(datum.value, ',')", **options
    )


def signed_axis(**options: Any) -> Any:
    """Return an axis that labels differences with their sign."""
    label = "datum.value == 0 ? '0' : format(datum.value, '+.3~r')"
    return number_axis(labelExpr=label, **options)


def categories(rows: list[dict[str, Any]], field: str) -> list[str]:
    """Return the values of a field in order of appearance."""
    return list(dict.fromkeys(row[field] for row in rows))


def color_and_shape(field: str, names: list[str]) -> dict[str, Any]:
    """Return the color and shape channels of named lines or points; a single one has no legend."""
    alt = altair()
    chosen = [color_of(name) if field == "system" else None for name in names]
    free = [color for color in PALETTE if color not in chosen] or PALETTE
    colors = [color or free[index % len(free)] for index, color in enumerate(chosen)]
    shown = legend(names) if len(names) > 1 else None
    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=colors), legend=shown),
        "shape": alt.Shape(f"{field}:N", scale=alt.Scale(domain=names), legend=shown),
    }


def system_channels(rows: Rows, styled: bool) -> dict[str, Any]:
    """Return the color and shape channels that distinguish systems."""
    if styled or isinstance(rows, str):
        alt = altair()
        return {
            "color": alt.Color("color:N", scale=None),
            "shape": alt.Shape("shape:N", scale=None),
        }
    return color_and_shape("system", categories(rows, "system"))


#: The formats of files by suffix.
SUFFIXES = {".pdf": "pdf", ".svg": "svg", ".png": "png", ".html": "html", ".json": "json"}

_LOOK = {
    # Names before `sans-serif`, which is a wide font on some systems: charts are laid out with the
    # widths of Liberation Sans, which Arial and Helvetica share.
    "font": "Arial, Liberation Sans, Helvetica, sans-serif",
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {"labelFontSize": 11},
    "title": {"fontSize": 13, "fontWeight": "normal", "anchor": "start"},
    "view": {"stroke": None},
}


class Plot:
    """A picture of a result, from `plot` of the result or a function of `gainful.plots`.

    Notebooks show it without a network connection.

    Attributes
    ----------
    chart : altair.Chart or altair.LayerChart
        The Altair chart, for changes of any kind.

    Examples
    --------
    >>> import gainful
    >>> plot = gainful.evaluate("qrels.txt", runs={"bm25": "bm25.run"}).plot()
    >>> plot.save("means.pdf", width=340)
    >>> plot.to_dict()["$schema"]
    'https://vega.github.io/schema/vega-lite/v...json'
    """

    __slots__ = ("chart",)

    if TYPE_CHECKING:
        chart: ChartType

    def __init__(self, chart: Any) -> None:
        self.chart = chart.configure(**_LOOK)

    def save(
        self,
        path: str | PathLike[str],
        *,
        width: float | None = None,
        height: float | None = None,
        scale: float = 2,
    ) -> None:
        """Write the picture to a file, in the format of its suffix.

        An existing file is replaced atomically.

        Parameters
        ----------
        path : path
            ``.pdf`` and ``.svg`` are vector graphics for papers and slides, ``.png`` has pixels,
            ``.html`` is a page with tooltips that needs no network, and ``.json`` is the Vega-Lite
            specification.
        width, height : float, optional
            The size of the whole picture with axes and legend, in pixels of 1/96 inch; text keeps
            its size. Default: the size that suits the data.
        scale : float
            Pixels of a PNG per pixel of the picture.

        Raises
        ------
        ParameterError
            For another suffix, or a size that is not above 0.
        SourceError
            If the file cannot be written.
        MissingPackageError
            If vl-convert-python, from the extra ``report``, is not installed.
        """
        name = fspath(path)
        style = check_suffix(name, "save")
        for option, value in (("width", width), ("height", height), ("scale", scale)):
            if value is not None and not value > 0:
                raise ParameterError(where=option, found=repr(value), expected="a number above 0")
        write_whole(name, [_encoded(_sized(self.to_dict(), style, width, height), style, scale)])

    def to_dict(self) -> dict[str, object]:
        """Return the Vega-Lite specification."""
        spec: dict[str, object] = self.chart.to_dict()
        return spec

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        # Viewers that know Vega-Lite show tooltips, all others the picture.
        spec = self.to_dict()
        version = str(spec["$schema"]).rpartition("/v")[2].partition(".")[0]
        drawn = _encoded(_sized(spec, "svg", None, None), "svg", 1).decode()
        return {"image/svg+xml": drawn, f"application/vnd.vegalite.v{version}+json": spec}

    def __repr__(self) -> str:
        return f"<Plot: {type(self.chart).__name__}>"


def check_suffix(name: str, where: str) -> str:
    """Return the format of a file's name."""
    style = SUFFIXES.get(splitext(name)[1].lower())
    if style is None:
        raise ParameterError(
            where=where, found=repr(name), expected=f"a name that ends in {', '.join(SUFFIXES)}"
        )
    return style


def _sized(
    spec: dict[str, Any], style: str, width: float | None, height: float | None
) -> dict[str, Any]:
    """Return a specification with the size of the whole picture."""
    spec = _with_room_for_names(spec, style, width)
    sizes = {"width": width, "height": height}
    known = {name: value for name, value in sizes.items() if value is not None}
    if not known:
        return spec
    if "vconcat" in spec:
        return spec | {"vconcat": _sized_panels(spec["vconcat"], width, height)}
    axes = "fit" if len(known) == 2 else "fit-x" if width is not None else "fit-y"
    return spec | known | {"autosize": {"type": axes, "contains": "padding"}}


def _sized_panels(
    panels: list[dict[str, Any]], width: float | None, height: float | None
) -> list[dict[str, Any]]:
    """Return panels below each other that share a size, each with room for its axes."""
    size = {}
    if width is not None:
        size["width"] = max(width - 65, 50)
    if height is not None:
        size["height"] = max(height / len(panels) - 80, 50)
    return [panel | size for panel in panels]


def _with_room_for_names(spec: dict[str, Any], style: str, width: float | None) -> dict[str, Any]:
    """Return a chart with names of less than half its width, and in SVG with space for them.

    An SVG is laid out with one font, and drawn with those of its viewer, which can be wider.
    """
    most = LONGEST_NAME
    if width is not None:
        spec = deepcopy(spec)
        # A letter is about 5.5 pixels wide.
        most = min(max(int(0.45 * width / 5.5), 8), most)
    encodings = [part.get("encoding", {}) for part in (spec, *spec.get("layer", ()))]
    channels = [
        encoding["y"]
        for encoding in encodings
        if isinstance(encoding.get("y", {}).get("sort"), list)
    ]
    if width is not None:
        for channel in channels:
            channel.get("axis", {})["labelExpr"] = shortened_labels(most)
        for channel in (channel for encoding in encodings for channel in encoding.values()):
            legend = channel.get("legend") if isinstance(channel, dict) else None
            if legend and "columns" in legend:
                # Next to the legend is the axis.
                legend["columns"] = legend_columns(channel["scale"]["domain"], width - 50)
    longest = max((len(name) for channel in channels for name in channel["sort"]), default=0)
    if style != "svg" or not longest:
        return spec
    wide = round(0.8 * min(longest, most))
    return spec | {"padding": {"left": 5 + wide, "right": 5, "top": 5, "bottom": 5}}


def _encoded(spec: dict[str, Any], style: str, scale: float) -> bytes:
    if style == "json":
        return dumps(spec).encode()
    load_package("vl_convert", where="plots", package="vl-convert-python", extra="report")
    from altair import VEGA_VERSION, VEGAEMBED_VERSION, VEGALITE_VERSION
    from altair.utils.mimebundle import spec_to_mimebundle

    options: dict[str, Any] = {"template": "inline"} if style == "html" else {}
    if style == "png":
        options = {"scale_factor": scale}
    bundle = spec_to_mimebundle(
        spec,
        style,
        mode="vega-lite",
        vega_version=VEGA_VERSION,
        vegaembed_version=VEGAEMBED_VERSION,
        vegalite_version=VEGALITE_VERSION,
        **options,
    )
    # That of a PNG comes with its size.
    (content,) = (bundle[0] if isinstance(bundle, tuple) else bundle).values()
    return content if isinstance(content, bytes) else content.encode()


def picture(draw: Callable[P, Any]) -> Picture[P]:
    """Make a function that draws rows also draw a result that has a picture of its name."""
    checked = suggest_keywords(draw)

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Plot:
        if args and hasattr(args[0], "plot"):
            names = list(signature(draw).parameters)[1:]
            arguments_given = dict(zip(names, args[1:], strict=False))
            plot: Plot = args[0].plot(draw.__name__, **arguments_given, **options)
            return plot
        rows = args[0] if args else []
        is_list = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        if not is_list and not isinstance(rows, str):
            raise ArgumentError(
                where=f"plots.{draw.__name__}",
                found=f"{type(rows).__name__} as rows",
                expected="a list of dictionaries",
                hint=f"a result with the picture {draw.__name__!r} takes options by name only",
            )
        return Plot(checked(*args, **options))

    return drawn
