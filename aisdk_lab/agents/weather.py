"""The weather agent: one server tool, or several at once, then an answer with its source.

Stage: agents. The numbers come from a table below and not from the sky. Answers in the language of the question.
Try: a city that it knows, two at once, one that it does not know, and something that is no question about weather.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from aisdk_lab.agents._actions import CallResult, ScriptTurn
from aisdk_lab.agents.scripted import scripted


class _City(NamedTuple):
    names: tuple[str, str]
    celsius: int
    sky: tuple[str, str]


_CITIES = (
    _City(("Hangzhou", "杭州"), 25, ("sunny", "晴")),
    _City(("Shanghai", "上海"), 23, ("cloudy", "多云")),
    _City(("Beijing", "北京"), 18, ("windy", "有风")),
    _City(("Shenzhen", "深圳"), 29, ("thunderstorms", "雷阵雨")),
    _City(("Paris", "巴黎"), 14, ("light rain", "小雨")),
    _City(("Berlin", "柏林"), 11, ("overcast", "阴")),
    _City(("Oslo", "奥斯陆"), 6, ("snow showers", "阵雪")),
    _City(("New York", "纽约"), 16, ("clear", "晴朗")),
)
_SKY_SIGNS = {"sunny": "☀️", "clear": "☀️", "cloudy": "⛅", "windy": "🌬️", "thunderstorms": "⛈️", "overcast": "☁️"}
_WEATHER_WORDS = ("天气", "气温", "温度", "下雨", "带伞", "weather", "temperature", "rain", "umbrella", "forecast")

_TEXTS = {
    "think": ("I look it up first, then say what to wear.", "先查天气，再说穿什么。"),
    "look": ("Let me look 🌤️ …", "让我看看 🌤️ …"),
    "answer": ("**{city}**: {celsius}°C, {sky} {sign}.", "**{city}**：{celsius}°C，{sky} {sign}。"),
    "warm": (" A T-shirt will do.", "穿短袖就行。"),
    "mild": (" A light jacket is enough.", "带一件薄外套。"),
    "cold": (" Dress warmly 🧥.", "多穿一点 🧥。"),
    "unknown": (
        "I could not look that up ({error}). I know {known}.",
        "没查到（{error}）。我知道这些城市：{known}。",
    ),
    "which": ("Which city? I know {known}.", "想看哪座城市？我知道：{known}。"),
    "help": (
        "I can only tell the weather: ask me for example “{example}”.",
        "我只会查天气，比如问我：“{example}”",
    ),
}
_SUGGESTIONS = ("杭州天气怎么样？", "Compare Paris and Oslo", "亚特兰蒂斯的天气？")


def _say(turn: ScriptTurn, key: str, **values: object) -> str:
    return _TEXTS[key][turn.language == "zh"].format(**values)


def _name(turn: ScriptTurn, city: _City) -> str:
    return city.names[turn.language == "zh"]


def _asked(turn: ScriptTurn) -> list[_City]:
    words = turn.words.lower()
    return [city for city in _CITIES if any(name.lower() in words for name in city.names)]


def _call(turn: ScriptTurn, city: _City, seconds: float) -> Any:
    name, sky = _name(turn, city), city.sky[turn.language == "zh"]
    output = {"city": name, "celsius": city.celsius, "sky": sky}
    return turn.tool("get_weather", {"city": name}, output=output, seconds=seconds)


def _sentence(turn: ScriptTurn, city: _City, result: CallResult) -> str:
    clothes = "warm" if city.celsius >= 22 else "mild" if city.celsius >= 12 else "cold"
    sign = _SKY_SIGNS.get(city.sky[0], "🌧️")
    return _say(turn, "answer", sign=sign, **result.output) + _say(turn, clothes)


@scripted(name="weather", title="Weather · 天气", suggestions=_SUGGESTIONS)
def _weather(turn: ScriptTurn) -> Generator[Any, Any, None]:
    """Tells the weather of one city or several."""
    cities = _asked(turn)
    known = ("、" if turn.language == "zh" else ", ").join(_name(turn, city) for city in _CITIES)
    is_about_weather = any(word in turn.words.lower() for word in _WEATHER_WORDS)
    if not cities and not is_about_weather:
        yield turn.text(_say(turn, "help", example=_SUGGESTIONS[0] if turn.language == "zh" else _SUGGESTIONS[1]))
        return
    yield turn.reasoning(_say(turn, "think"))
    if not cities:
        place = turn.words.strip(" ?？。.!！")
        for word in ("天气怎么样", "的天气", "天气", "怎么样"):
            place = place.removesuffix(word)
        if turn.language == "en" or not place:
            yield turn.text(_say(turn, "which", known=known))
            return
        failed: CallResult = yield turn.tool("get_weather", {"city": place}, error="Error: unknown city", seconds=0.4)
        yield turn.text(_say(turn, "unknown", error=failed.error, known=known))
        return
    yield turn.text(_say(turn, "look"))
    calls = [_call(turn, city, 0.6 + 0.3 * place) for place, city in enumerate(cities)]
    results: tuple[CallResult, ...] = yield turn.together(*calls)
    yield turn.text("\n\n".join(_sentence(turn, city, result) for city, result in zip(cities, results, strict=True)))
    for city in cities:
        yield turn.source(f"https://weather.example/{city.names[0].lower().replace(' ', '-')}", _name(turn, city))


AGENT = _weather
