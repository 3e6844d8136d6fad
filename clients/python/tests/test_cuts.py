from typing import Any

import pytest

from audiosplit._cuts import Cut, split_request

URL = "https://example.com/a.mp3"


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ({"every": 600}, {"splitMode": "duration", "segmentDuration": 600}),
        ({"parts": 4, "to": "mp3"}, {"splitMode": "parts", "parts": 4, "outputFormat": "mp3"}),
        ({"max_size": 25_000_000}, {"splitMode": "fileSize", "maxFileSize": 25_000_000}),
        ({"silence": True, "max_duration": 60}, {"splitMode": "silence", "maxDuration": 60}),
        ({"silence": {"minSilence": 0.7}}, {"splitMode": "silence", "silence": {"minSilence": 0.7}}),
        ({"chapters": True, "name": "{title}"}, {"splitMode": "chapters", "fileName": "{title}"}),
        (
            {"parts": 2, "source_headers": {"Authorization": "Bearer x"}},
            {"splitMode": "parts", "parts": 2, "sourceHeaders": {"Authorization": "Bearer x"}},
        ),
        ({"split_at": [10, 20]}, {"splitMode": "ranges", "splitPoints": [10, 20]}),
        (
            {"every": 600, "snap_to_silence": 5, "preset": "speech", "max_size": 1_000_000},
            {
                "splitMode": "duration",
                "segmentDuration": 600,
                "snapToSilence": {"window": 5},
                "preset": "speech",
                "maxFileSize": 1_000_000,
            },
        ),
        ({"every": 60, "snap_to_silence": {"window": 5}}, {"splitMode": "duration", "segmentDuration": 60, "snapToSilence": {"window": 5}}),
    ],
)
def test_words_of_python_become_fields_of_the_api(cut: Cut, expected: dict[str, Any]) -> None:
    assert split_request(URL, cut) == {"sourceUrl": URL, **expected}


@pytest.mark.parametrize("cut", [{}, {"overlap": 1}, {"every": 1, "parts": 2}, {"evry": 60}, {"silence": False}])
def test_a_cut_that_says_nothing_or_too_much_is_refused(cut: Any) -> None:
    with pytest.raises(TypeError):
        split_request(URL, cut)


def test_limits_have_the_name_of_a_service_and_other_words_go_before() -> None:
    assert split_request(URL, {"limits_for": "openai", "overlap": 1}) == {
        "sourceUrl": URL,
        "splitMode": "fileSize",
        "maxFileSize": 24_500_000,
        "maxDuration": 1_390,
        "snapToSilence": {"window": 10},
        "preset": "speech",
        "overlap": 1,
    }
    with_mode = split_request(URL, {"limits_for": "groq", "every": 60, "snap_to_silence": 2})
    assert (with_mode["splitMode"], with_mode["snapToSilence"]) == ("duration", {"window": 2})
    with pytest.raises(TypeError):
        split_request(URL, {"limits_for": "none"})  # type: ignore[typeddict-item]
