"""Results as text that other programs read."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from profiler_plugin.errors import NoData, NotFound
from profiler_plugin.export import csv_text, document, encode, find_table
from profiler_plugin.tools.base import Column, Metric, Result, Table


def rows(*columns: Column) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text(Table(columns)), newline="")))


def test_csv_has_a_row_of_names_and_exact_values() -> None:
    table = Table(
        (
            Column("name", ["a", "b"], "string", label="Name of it"),
            Column("time", np.array([1, 9_007_199_254_740_993])),
            Column("share", np.array([0.1, 1 / 3])),
            Column("eager", np.array([True, False]), "boolean"),
        )
    )
    assert csv_text(table) == (
        "name,time,share,eager\r\na,1,0.1,true\r\nb,9007199254740993,0.3333333333333333,false\r\n"
    )


def test_unknown_is_empty_in_csv_and_null_in_json() -> None:
    column = Column("share", np.array([np.nan, np.inf, 1.0]))
    assert rows(column, Column("text", [None, "", "x"], "string")) == [
        ["share", "text"],
        ["", ""],
        ["", ""],
        ["1.0", "x"],
    ]
    result = Result({"t": Table((column,))}, (Metric("m", float("nan"), spread=float("nan"), reason="why"),))
    answer = json.loads(encode(document("tool", "run", "host", result)))
    assert answer["tables"]["t"]["columns"][0]["values"] == [None, None, 1.0]
    assert (answer["metrics"][0]["value"], answer["metrics"][0]["spread"]) == (None, None)


def test_commas_quotes_and_line_ends_stay_within_a_field() -> None:
    texts = ["a,b", 'say "x"', "two\nlines", "µs → ns"]
    assert rows(Column("text", texts, "string")) == [["text"], *([text] for text in texts)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd", "'+cmd"),
        ("-x", "'-x"),
        ("\t=1", "'\t=1"),
        ("-1.5", "-1.5"),
        ("+3", "+3"),
        ("%add.3 = f32[]", "%add.3 = f32[]"),
        ("a=b", "a=b"),
    ],
)
def test_no_text_becomes_a_formula_of_a_spreadsheet(text: str, shown: str) -> None:
    assert rows(Column("name", [text], "string")) == [["name"], [shown]]


def test_a_table_is_found_by_name_or_is_the_first() -> None:
    one, two = Table((), "one"), Table((), "two")
    assert find_table({"one": one, "two": two}) is one
    assert find_table({"one": one, "two": two}, "two") is two
    with pytest.raises(NotFound, match="no table called 'three'"):
        find_table({"one": one}, "three")
    with pytest.raises(NoData):
        find_table({})
