"""The command line: what it says of wrong usage and wrong input, rows, cases, replay. Needs KGYM, the built binary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli import PROBLEM, RELU, TORCH_RELU, WRONG_RELU, kgym, needs_binary, write

pytestmark = needs_binary

QUICK = ("--set", "timing.enabled=false", "--set", "correctness.sets=2")


@pytest.fixture
def relu(tmp_path: Path) -> Path:
    return write(tmp_path, "relu.py", RELU)


def refused(*arguments: str | Path) -> str:
    """The one sentence with which kgym refuses bad input, with and without --json the same."""
    ended = kgym(*arguments, "--json")
    assert ended.code == 2, ended
    message = ended.json()["error"]
    assert ended.err == f"kgym: {message}\n"
    return message


@pytest.mark.parametrize("command", [[], ["eval"], ["cases"], ["problems"], ["replay"], ["doctor"], ["config"], ["workflow"]])
def test_help(command: list[str]) -> None:
    ended = kgym(*command, "--help")
    assert ended.code == 0 and ended.err == "" and "Usage: kgym" in ended.out
    assert not command or "Examples:" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 140


def test_version() -> None:
    assert kgym("--version").out.startswith("kgym 0.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a command is expected: eval, cases,"),
        (["evl"], "unknown command 'evl' (did you mean 'eval'?)"),
        (["eval"], "PROBLEM is required"),
        (["eval", "a", "b", "--jbs", "3"], "unknown option '--jbs' (did you mean '--jobs'?)"),
        (["eval", "a", "b", "c"], "unexpected argument 'c'"),
        (["eval", "a", "b", "--suite", "x"], "'x' found; builtin or kernelbench is expected"),
        (["eval", "a", "b", "--jobs", "0"], "--jobs"),
        (["problems"], "list, show or check is expected"),
        (["eval", "alone"], "a folder or a .jsonl file"),
        (["config", "--set", "timing.budet=2s"], "unknown key 'timing.budet' (did you mean 'timing.budget'?)"),
        (["config", "--set", "timing.budget=2"], "timing.budget: '2' found; a duration such as 250ms"),
        (["config", "--config", "no.yaml"], "no.yaml: No such file"),
        (["cases", "no-such-folder"], "no-such-folder: No such file"),
        (["cases", "scripts"], "scripts: no case.yaml in it"),
        (["replay", "Makefile"], "Makefile: it is not a zstd frame"),
        (["problems", "show", "level1/sofmax"], "(did you mean 'level1/softmax'?)"),
        (["problems", "list", "--suite", "kernelbench"], "--root DIR"),
        (["problems", "list", "--root", "docs"], "--root 'docs': no folder level1"),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    ended = kgym(*arguments)
    assert ended.code == 2 and ended.out == ""
    assert ended.err.startswith("kgym: ") and ended.err.count("\n") == 1 and message in ended.err


def test_bad_input_of_eval(tmp_path: Path, relu: Path) -> None:
    assert "no problem 'level1/rellu'" in refused("eval", "level1/rellu", relu)
    assert "did you mean 'level1/relu'?" in refused("eval", "relu", relu)
    assert refused("eval", "level1/relu", "no.py") == "submission: no.py: No such file or directory"
    assert refused("eval", "level1/relu", tmp_path).startswith("submission: ")
    assert "--size 'rows'" in refused("eval", "level1/relu", relu, "--size", "rows")
    latin = write(tmp_path, "latin.py", b"# \xe9\n")
    assert "it is not UTF-8" in refused("eval", latin, relu)
    broken = write(tmp_path, "broken.yaml", "timing: [1\n")
    assert f"{broken}:" in refused("eval", "level1/relu", relu, "--config", broken)
    unknown = write(tmp_path, "unknown.yaml", "timing:\n  budet: 2s\n")
    assert f"{unknown}:2: unknown key 'timing.budet'" in refused("eval", "level1/relu", relu, "--config", unknown)


def test_what_only_the_judge_knows(tmp_path: Path, relu: Path) -> None:
    assert refused("eval", "level1/relu", relu, "--backend", "tritn") == (
        "unknown backend 'tritn' (did you mean 'triton'?); known: cpp, triton, cuda, cupy, tilelang, cutlass")
    assert refused("eval", "level1/relu", relu, "--backend", "cuda") == "backend 'cuda' does not run on this device"
    assert "no workload 'huge'" in refused("eval", "level1/relu", relu, "--workload", "huge")
    raising = write(tmp_path, "raising.py", PROBLEM.replace("x.relu()", "x.rellu()"))
    ended = kgym("eval", raising, relu)
    assert ended.code == 2 and ended.err.startswith(f"kgym: {raising}: ") and "rellu" in ended.err


def test_a_judge_that_does_not_start(relu: Path) -> None:
    ended = kgym("eval", "level1/relu", relu, "--json", "--set", "judge.python=/no/such/python")
    assert ended.code == 3 and "/no/such/python" in ended.json()["error"] and "kgym doctor" in ended.err
    doctor = kgym("doctor", "--json", "--set", "judge.python=/no/such/python")
    report = doctor.json()
    assert doctor.code == 1 and report["can_evaluate"] is False
    assert any("KGYM_PYTHON" in sentence for sentence in report["advice"])


def test_a_device_that_is_not_there(relu: Path) -> None:
    """Also where there is a card: nobody has ninety-nine."""
    ended = kgym("eval", "level1/relu", relu, "--json", "--device", "cuda:99")
    assert ended.code == 3 and ("NVIDIA driver" in ended.json()["error"] or "cuda:99" in ended.json()["error"])
    assert refused("eval", "level1/relu", relu, "--device", "gpu") == "config: judge.device is 'gpu'; cpu, cuda or cuda:N is expected"


@pytest.mark.parametrize("key, value, least", [("limits.memory", 255, 256), ("limits.memory", 1, 256), ("limits.processes", 7, 8)])
def test_limits_under_which_nothing_runs(relu: Path, key: str, value: int, least: int) -> None:
    assert refused("eval", "level1/relu", relu, "--set", f"{key}={value}") == f"config: {key} is {value}; 0 or at least {least} is expected"


def test_doctor() -> None:
    ended = kgym("doctor", "--json")
    report = ended.json()
    assert ended.code == 0 and report["can_evaluate"] is True
    assert report["zygote_start_ms"] > 0 and report["evaluation"]["stages"]["host_ms"] > 0
    text = kgym("doctor").out
    assert "backend cpp" in text and "sandbox step" in text and text.endswith("This machine can judge backend cpp.\n")


def test_a_verdict_for_a_person(tmp_path: Path, relu: Path) -> None:
    ended = kgym("eval", "level1/relu", relu, *QUICK, "--entry", "ModelNew", "--size", "rows=32")
    assert ended.code == 0 and ended.err == ""
    assert ended.out.startswith("ok  level1/relu  ") and "input sets right" in ended.out and "kernel" in ended.out
    wrong = kgym("eval", "level1/relu", write(tmp_path, "wrong.py", WRONG_RELU), *QUICK)
    assert wrong.code == 1 and wrong.out.startswith("fail:numerical  ")
    assert "expected" in wrong.out and "  next " in wrong.out


def test_escapes_of_a_submission_never_reach_the_terminal(tmp_path: Path) -> None:
    hostile = write(tmp_path, "hostile.py", 'print("\\x1b]0;mine\\x07")\nraise RuntimeError("\\x1b[2J gone")\n')
    ended = kgym("eval", "level1/relu", hostile, *QUICK)
    assert ended.code == 1 and "gone" in ended.out
    assert not set(ended.out) & {"\x1b", "\x07"}


def test_kernelbench(tmp_path: Path, relu: Path) -> None:
    level = tmp_path / "KernelBench" / "level1"
    level.mkdir(parents=True)
    write(level, "19_ReLU.py", PROBLEM)
    source = ("--suite", "kernelbench", "--root", tmp_path)
    assert kgym("problems", "list", "--json", *source).json()["name"] == "level1/19_ReLU.py"
    assert kgym("problems", "show", "1:19", *source).out == PROBLEM
    verdict = kgym("eval", "1/19", relu, "--json", *source, *QUICK).json()
    assert (verdict["outcome"], verdict["problem"]["name"]) == ("ok", "level1/19_ReLU.py")


def test_problems(tmp_path: Path) -> None:
    assert len(kgym("problems", "list", "--json").lines()) >= 60
    assert "level1/softmax" in kgym("problems", "list").out
    sound = kgym("problems", "check", "level1/relu", "--json")
    assert sound.code == 0 and sound.json()["findings"] == []
    ignored = write(tmp_path, "ignored.py", PROBLEM.replace("return x.relu()", "return x * 0 + 1"))
    unsound = kgym("problems", "check", ignored)
    assert unsound.code == 1 and ": error input_ignored: " in unsound.out and "1 unsound" in unsound.out


def rows(tmp_path: Path) -> list[tuple[str, str]]:
    """(line, what it must come to) of a JSONL file with good and bad rows."""
    write(tmp_path, "relu.py", RELU)
    good = {"id": "good", "problem": "level1/relu", "submission_path": "relu.py"}
    return [
        (json.dumps({**good, "id": "inline", "problem_source": PROBLEM, "sizes": {"rows": 16}, "workload": "default"} | {"problem": None}), "one is expected"),
        (json.dumps({"id": "inline", "problem_source": PROBLEM, "submission": RELU, "sizes": {"rows": 16}, "workload": "default"}), "ok"),
        ("{not json", "json:1:"),
        ("[1, 2]", "an object a line is expected"),
        ("", ""),
        (json.dumps({**good, "problem": "level1/rellu"}), "field 'problem': no problem 'level1/rellu'"),
        (json.dumps({**good, "submission_path": "no.py"}), "field 'submission_path'"),
        (json.dumps({**good, "backned": "cpp"}), "unknown field 'backned' (did you mean 'backend'?)"),
        (json.dumps({**good, "backend": "cud"}), "unknown backend 'cud'"),
        (json.dumps({**good, "sizes": {"rows": "x"}}), "field 'sizes.rows'"),
        (json.dumps({**good, "problem": 3}), "field 'problem': 3 found; a string is expected"),
        (json.dumps({**good, "note": "other fields do no harm"}), "ok"),
        (json.dumps({"problem": "level1/relu", "submission": TORCH_RELU}), "rejected:reference-call"),
    ]


def test_rows_of_jsonl(tmp_path: Path) -> None:
    expected = rows(tmp_path)
    file = write(tmp_path, "rows.jsonl", "\n".join(line for line, _ in expected))
    out = tmp_path / "out.jsonl"
    ended = kgym("eval", file, "--json", "--out", out, "--jobs", "3", *QUICK)
    assert ended.code == 2 and out.read_text() == ended.out
    numbered = [(number, wanted) for number, (line, wanted) in enumerate(expected, start=1) if line]
    for row, (number, wanted) in zip(ended.lines(), numbered, strict=True):
        if "error" not in row:
            assert row["outcome"] == wanted
            continue
        assert set(row) == {"id", "row", "error"} and row["row"] == number and wanted in row["error"]
        assert f"kgym: {row['error']}\n" in ended.err
    assert ended.lines()[1]["problem"]["sizes"] == {"rows": 16}
    assert ended.lines()[-1]["submission"]["name"] == f"{file}:13"


def test_exit_codes_of_rows(tmp_path: Path) -> None:
    write(tmp_path, "level1__relu__right.py", RELU)
    write(tmp_path, "level1__relu__wrong.py", "# backend: triton\n" + TORCH_RELU)
    ended = kgym("eval", tmp_path, *QUICK)
    assert ended.code == 1 and "2 submissions: 1 ok, 1 rejected:" in ended.out
    assert ended.out.index("__right") < ended.out.index("__wrong")
    write(tmp_path, "other.py", RELU)
    more = kgym("eval", tmp_path, "--json", *QUICK)
    assert more.code == 2 and [row.get("outcome", "error")[:5] for row in more.lines()] == ["ok", "rejec", "error"]
    assert "level1__softmax__mine.py" in more.lines()[2]["error"]
    one = kgym("eval", tmp_path, "--limit", "1", "--json", *QUICK)
    assert one.code == 0 and len(one.lines()) == 1


def test_empty_inputs(tmp_path: Path) -> None:
    assert "no submission in it" in refused("eval", tmp_path)
    assert "no row in it" in refused("eval", write(tmp_path, "rows.jsonl", "\n \n"))


def test_replay(tmp_path: Path, relu: Path) -> None:
    kept = tmp_path / "kept"
    verdict = kgym("eval", "level1/relu", relu, "--json", "--keep", kept, *QUICK).json()
    bundle = kept / f"{verdict['id']}.kgym"
    again = kgym("replay", bundle, "--json")
    assert again.code == 0
    told = again.json()
    assert told["same"] is True and told["then"] == verdict and told["now"]["problem"] == verdict["problem"]
    assert told["now"]["timing"] is None  # Its configuration was kept, too.
    other = kgym("replay", bundle, "--set", "judge.inject=reference-dies")
    assert other.code == 1 and "infra" in other.out and other.out.endswith("another outcome\n")


def case(folder: Path, name: str, yaml: str) -> None:
    (folder / name).mkdir()
    write(folder / name, "case.yaml", yaml)
    write(folder / name, "submission.py", RELU)


def test_cases(tmp_path: Path) -> None:
    common = "problem: level1/relu\nbackend: cpp\nconfig: {timing.enabled: false}\n"
    case(tmp_path, "a_right", common + "devices: [cpu]\nexpect: [fail:nan, ok]\nevidence: {speedup: null, correctness.passed: {min: 2}}\n")
    case(tmp_path, "b_wrong", common + "devices: [cpu]\nexpect: fail:nan\nevidence: {reason: {contains: zebra}}\nwhy: it is no nan\n")
    case(tmp_path, "c_elsewhere", common + "devices: [gpu]\nexpect: ok\n")
    out = tmp_path / "verdicts.jsonl"
    ended = kgym("cases", tmp_path, "--out", out, *QUICK)
    assert ended.code == 1 and len(out.read_text().splitlines()) == 2
    assert "b_wrong\n  expected fail:nan, got ok\n  reason: expected" in ended.out and "the case: it is no nan" in ended.out
    assert ended.out.endswith("1 of 2 as expected; 1 skipped: they need a device that is not here\n")
    twice = kgym("cases", tmp_path, "--filter", "a_right", "--repeat", "2", "--json", *QUICK)
    assert twice.code == 0 and [row["as_expected"] for row in twice.lines()] == [True, True]
    again = kgym("cases", tmp_path, "--filter", "b_wrong", "--again", "3", *QUICK)
    assert again.code == 1 and "judged again once, alone: not as expected either" in again.out


def test_cases_judged_again(tmp_path: Path) -> None:
    """A submission that is right by chance: whatever it draws, what is told of it must fit."""
    case(tmp_path, "chance", "problem: level1/relu\nbackend: cpp\nconfig: {timing.enabled: false}\ndevices: [cpu]\nexpect: ok\n")
    with (tmp_path / "chance/submission.py").open("a") as file:
        file.write("\nif __import__('os').urandom(1)[0] < 128:\n    raise RuntimeError('drawn')\n")
    ended = kgym("cases", tmp_path, "--repeat", "6", "--again", "2", "--json", *QUICK)
    right = 0
    for row in ended.lines():
        looks = [look["as_expected"] for look in row.get("again", [])]
        assert row["as_expected"] == (not looks) and (False not in looks[:-1]) and len(looks) <= 2
        right += row["as_expected"] or looks == [True, True]
    assert f"{right} of 6 as expected" in ended.err and ended.code == (0 if right == 6 else 1)


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("problem: [", ":1: "),
        ("- 1", "a map is expected"),
        ("problem: level1/relu\nbackend: cpp\ndevices: [cpu]\nexpect: fail:nann", "no outcome 'fail:nann' (did you mean 'fail:nan'?)"),
        ("problem: level1/relu\nbackend: cpp\ndevices: [cpu]\nexpct: ok", "unknown field 'expct' (did you mean 'expect'?)"),
        ("problem: level1/rellu\nbackend: cpp\ndevices: [cpu]\nexpect: ok", "did you mean 'level1/relu'?"),
        ("problem: level1/relu\nbackend: cpp\ndevices: [cpu]\nexpect: ok\nconfig: {limits.cal: 2s}", "unknown key 'limits.cal'"),
    ],
)
def test_malformed_cases(tmp_path: Path, yaml: str, message: str) -> None:
    case(tmp_path, "a", yaml)
    assert message in refused("cases", tmp_path)


def test_config(tmp_path: Path) -> None:
    file = write(tmp_path, "c.yaml", kgym("config", "--set", "timing.budget=5s", "--yaml").out)
    assert "timing.budget = 5s" in kgym("config", "--config", file).out
    assert "timing.budget = 6s" in kgym("config", "--config", file, "--set", "timing.budget=6s").out
