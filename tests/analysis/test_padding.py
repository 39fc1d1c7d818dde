"""Padding of tiled arrays."""

import pytest

from profiler_plugin.analysis.padding import TiledDimension, describe, meaning_of_dimensions, tiled_dimensions


def test_tiles_align_the_most_minor_dimensions():
    assert tiled_dimensions("bf16[16,3,256]{2,1,0:T(8,128)}") == [TiledDimension(2, 256, 128), TiledDimension(1, 3, 8)]
    assert tiled_dimensions("f32[128,30]{0,1:T(8,128)(2,1)}") == [TiledDimension(0, 128, 128), TiledDimension(1, 30, 8)]


def test_what_is_not_filled_is_told_by_dimension():
    dimensions = tiled_dimensions("bf16[3,256]{1,0:T(8,128)}")
    assert [item.used for item in dimensions] == [1, 0.375]
    assert (
        describe(dimensions) == "dimension 1: 256 is a multiple of 128; dimension 0: 3 fills 37.5 % of 8, in tiles of 8"
    )


def test_dimensions_of_a_convolution_are_called_by_what_they_stand_for():
    meanings = meaning_of_dimensions("%c = bf16[8,5,5,300] convolution(%a, %b), dim_labels=b01f_01io->b01f")
    assert meanings == ["batch", "space", "space", "feature"]
    assert describe(tiled_dimensions("bf16[8,5,5,300]{3,0,2,1:T(8,128)}"), meanings) == (
        "dimension 3 (feature): 300 fills 78.1 % of 384, in tiles of 128; dimension 0 (batch): 8 is a multiple of 8"
    )
    assert meaning_of_dimensions("%a = f32[2] add(%b, %c)") == []


@pytest.mark.parametrize("shape", ["", "f32[]", "f32[2,3]{1,0}", "f32[2]{1:T(128)}", "(token[])"])
def test_without_tiles_nothing_is_told(shape: str):
    assert tiled_dimensions(shape) == []
    assert describe([]) == ""
