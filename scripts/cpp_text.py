"""Reads C++ as far as scripts/check_structure needs it: includes, and where functions begin and end.

It is no parser. It takes away what can hide a brace, then follows the braces and judges by the text
before each of them what it opens.
"""

import re

# Comments, raw strings, strings, characters. Numbers are there because their separators look like
# the quotes of characters.
TOKEN = re.compile(
    r"""(?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
      | \b(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
      | (?P<number> \b\d(?:'?[\w.])* )""",
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
# What may stand before a signature without being part of it: space, access labels, a macro that has
# its line to itself, as those of test suites do.
NO_SIGNATURE = re.compile(
    r"\s+|(?:public|private|protected)\s*:|[A-Z][A-Z0-9_]+\((?:[^()]|\([^()]*\))*\)[ \t]*\n(?=\s*\S)"
)
TEMPLATE_OF_CLASS = re.compile(
    r"template\s*<.*?>\s*(?:requires\b[^{};]*?)?(?=(?:class|struct|union)\b)", re.DOTALL
)
SCOPE = re.compile(r'(?:inline\s+)?namespace\b|extern ""$|(?:class|struct|union|enum)\b')


def without_comments_and_quotes(text):
    """The same lines, in which every brace is a brace; what was quoted is ""."""

    def replace(match):
        if match["number"]:
            return match[0]
        return (" " if match["comment"] else '""') + "\n" * match[0].count("\n")

    return TOKEN.sub(replace, text)


def includes(text):
    """(line, what stands between the quotes or brackets) of each include."""
    lines = zip(text.split("\n"), without_comments_and_quotes(text).split("\n"))
    for number, (line, code) in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and code.lstrip().startswith("#"):
            yield number, match[1]


def functions(text):
    """(first line, number of lines, name) of each function; what is inside of one belongs to it.

    Raises ValueError when the braces do not match, as those of both branches of an #if may not.
    """
    code = without_comments_and_quotes(text)
    code = DIRECTIVE.sub(lambda match: "\n" * match[0].count("\n"), code)
    if code.count("{") != code.count("}"):
        raise ValueError(f"expected as many '{{' as '}}' but found {code.count('{')} and {code.count('}')}")
    start = position = 0
    while match := re.compile(r"[{};]").search(code, position):
        position = match.end()
        if match[0] != "{":
            start = position
            continue
        while skipped := NO_SIGNATURE.match(code, start, match.start()):
            start = skipped.end()
        signature = code[start : match.start()].rstrip()
        if opens_scope(signature):
            start = position
            continue
        position = end_of_block(code, position)
        if opens_function(signature):
            first, last = (code.count("\n", 0, place) + 1 for place in (start, position))
            yield first, last - first + 1, name_of(signature)
            start = position


def opens_scope(signature):
    plain = TEMPLATE_OF_CLASS.sub("", signature, count=1)
    return SCOPE.match(plain) and not plain.endswith(")")


def opens_function(signature):
    """Whether a body follows, and not the value of a constant, a member or an argument."""
    is_argument = signature.count("(") > signature.count(")")
    # Braces become $, parentheses @, and what is between < and > goes: what is left is flat.
    flat = collapse(r"\([^()]*\)", "@", collapse(r"{[^{}]*}", "$", signature))
    flat = re.sub(r"operator\s*[^\s\w@]+", "operator", flat).replace("::", "")
    flat = collapse(r"<[^<>]*>", "", flat)
    is_member = re.search(r"@[^:]*:.*\w$", flat, re.DOTALL)
    return "@" in flat and "=" not in flat and not is_argument and not is_member


def collapse(pattern, by, text):
    while (shorter := re.sub(pattern, by, text)) != text:
        text = shorter
    return text


def end_of_block(code, position):
    depth = 1
    for match in re.compile(r"[{}]").finditer(code, position):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    raise ValueError("expected '}' but found the end of the file")


def name_of(signature):
    name, argument = re.search(r"([\w:]*operator\W+?|[~\w:]+)\s*\(\s*(\w*)", signature).groups()
    return f"{name}({argument})" if name.isupper() else name
