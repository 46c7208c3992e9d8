#!/usr/bin/env python3
"""Makes man pages and a bash completion from the --help of firm.

usage: help_pages.py PROGRAM MAN_DIRECTORY COMPLETION_FILE
"""
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def subcommands(text):
    """Names in the section Subcommands of a help text."""
    found = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\w\S*)", found[1], re.M) if found else []


def options(text):
    return sorted(set(re.findall(r"(?:^|,|\s)(--[a-z][a-z-]*)", text)))


def roff(text):
    """Text as it stands, not filled."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line
                     for line in escaped.splitlines())


def man_page(name, text, version):
    head, _, rest = text.partition("Usage: ")
    usage, _, body = rest.partition("\n")
    summary = " ".join(head.split()).rstrip(".")
    title = name.replace(" ", "-")
    sections = [f'.TH {title.upper()} 1 "" "firm {version}" "User Commands"',
                f".SH NAME\n{roff(title)} \\- {roff(summary)}",
                f".SH SYNOPSIS\n.B {roff(usage)}"]
    # "Positionals:", "Options:" and other headings, then the text after them.
    section = "DESCRIPTION"
    for block in re.split(r"\n(?=\S)", "\n" + body.strip("\n")):
        found = re.match(r"([A-Z][^\n]*):\n", block)
        if found:
            section, block = found[1].upper(), block[found.end():]
        elif not block.strip():
            continue
        else:
            section = "DESCRIPTION"
        heading = f".SH {roff(section)}\n" if sections[-1].split("\n")[0] != f".SH {section}" else ""
        sections.append(f"{heading}.nf\n{roff(block.strip(chr(10)))}\n.fi")
    if name != "firm":
        sections.append(".SH SEE ALSO\n.BR firm (1)")
    return "\n".join(sections) + "\n"


def completion(helps):
    cases = []
    for name, text in helps.items():
        words = " ".join(subcommands(text) + options(text))
        cases.append(f'    "{name}") words="{words}" ;;')
    return "\n".join([
        "# bash completion of firm, made from its --help",
        "_firm() {",
        "  local command=firm words= word known=",
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '    case "$command $word" in',
        *[f'      "{name}") command="{name}" ;;' for name in helps if name != "firm"],
        "    esac",
        "  done",
        '  case "$command" in', *cases, "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
        "}",
        "complete -o default -F _firm firm", ""])


def main(program, man, completion_file):
    version = output(program, "--version").split()[1]
    helps = {"firm": output(program, "--help")}
    waiting = ["firm"]
    while waiting:
        name = waiting.pop()
        for verb in subcommands(helps[name]):
            one = f"{name} {verb}"
            helps[one] = output(program, *one.split()[1:], "--help")
            waiting.append(one)
    folder = pathlib.Path(man)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in helps.items():
        (folder / (name.replace(" ", "-") + ".1")).write_text(man_page(name, text, version))
    (folder / "firm-mpi.1").write_text(
        f'.TH FIRM-MPI 1 "" "firm {version}" "User Commands"\n.SH NAME\nfirm\\-mpi \\- runs '
        "firm recon \\-\\-mpi\n.SH DESCRIPTION\nThe program firm starts this one for\n"
        ".BR \"firm recon \\-\\-mpi\" .\nIt has no other use.\n.SH SEE ALSO\n.BR firm\\-recon (1)\n")
    pathlib.Path(completion_file).write_text(completion(helps))


if __name__ == "__main__":
    main(*sys.argv[1:])
