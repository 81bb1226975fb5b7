"""A small model of a terminal's screen: what the shell sends in, the rows that are seen out."""
import unicodedata


def width(character):
    if unicodedata.combining(character) or character in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Rows and cursor of a terminal that knows what the line editor uses, and refuses the rest."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.styles = [[""] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.wraps = False
        self.style = ""
        self.bells = 0
        self.modes = set()
        self.pending = b""
        self.scrolled = []

    def resize(self, columns, rows):
        """As xterm does it: rows are cut or get blanks, and none is broken anew."""
        def fit(lines, blank):
            lines = [(line + [blank] * columns)[:columns] for line in lines]
            return (lines + [[blank] * columns for _ in range(rows)])[:rows]

        self.cells, self.styles = fit(self.cells, " "), fit(self.styles, "")
        self.columns, self.rows = columns, rows
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)
        self.wraps = False

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines()).rstrip("\n")

    def style_of(self, text):
        """The style of the last place where the text is seen."""
        for row in reversed(range(self.rows)):
            line = "".join(cell or "\0" for cell in self.cells[row])
            if text in line:
                return self.styles[row][line.rindex(text)]
        raise AssertionError(f"no {text!r} in {self.text()!r}")

    def feed(self, data):
        data = self.pending + data
        index = 0
        while index < len(data):
            taken = self.take(data, index)
            if taken is None:
                break
            index += taken
        self.pending = data[index:]

    def take(self, data, index):
        """Does what stands at `index`; gives how many bytes that was, nothing where more must come."""
        byte = data[index]
        if byte == 0x1B:
            return self.escape(data, index)
        if byte < 0x20:
            self.control(byte)
            return 1
        size = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        if index + size > len(data):
            return None
        self.put(data[index:index + size].decode())
        return size

    def control(self, byte):
        if byte == 13:
            self.column, self.wraps = 0, False
        elif byte == 10:
            self.line_feed()
        elif byte == 8:
            self.column, self.wraps = max(self.column - 1, 0), False
        elif byte == 7:
            self.bells += 1
        elif byte == 9:
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        else:
            raise AssertionError(f"control character {byte}")

    def line_feed(self):
        self.wraps = False
        if self.row + 1 < self.rows:
            self.row += 1
            return
        self.scrolled.append("".join(self.cells.pop(0)).rstrip())
        self.styles.pop(0)
        self.cells.append([" "] * self.columns)
        self.styles.append([""] * self.columns)

    def put(self, character):
        size = width(character)
        if size == 0:
            place = self.column if self.wraps else self.column - 1
            while place > 0 and self.cells[self.row][place] == "":
                place -= 1
            self.cells[self.row][place] += character
            return
        if self.wraps or self.column + size > self.columns:
            self.column = 0
            self.line_feed()
        self.cells[self.row][self.column] = character
        self.styles[self.row][self.column] = self.style
        if size == 2:
            self.cells[self.row][self.column + 1] = ""
        self.column += size
        if self.column >= self.columns:
            self.column, self.wraps = self.columns - 1, True

    def escape(self, data, index):
        end = index + 2
        if end > len(data):
            return None
        assert data[index + 1:index + 2] == b"[", data[index:index + 8]
        while end < len(data) and not 0x40 <= data[end] <= 0x7E:
            end += 1
        if end == len(data):
            return None
        self.sequence(data[index + 2:end].decode(), chr(data[end]))
        return end + 1 - index

    def sequence(self, parameters, final):
        if parameters.startswith("?"):
            (self.modes.add if final == "h" else self.modes.discard)(parameters)
            return
        if final == "m":
            self.style = "" if parameters in ("", "0") else parameters
            return
        self.wraps = False
        number = int(parameters or 1)
        if final == "A":
            self.row = max(self.row - number, 0)
        elif final == "B":
            self.row = min(self.row + number, self.rows - 1)
        elif final == "C":
            self.column = min(self.column + number, self.columns - 1)
        elif final == "D":
            self.column = max(self.column - number, 0)
        elif final == "H":
            self.row = self.column = 0
        elif final == "J":
            first = 0 if parameters == "2" else self.row
            for row in range(first, self.rows):
                start = self.column if parameters != "2" and row == self.row else 0
                for column in range(start, self.columns):
                    self.cells[row][column] = " "
                    self.styles[row][column] = ""
        else:
            raise AssertionError(f"sequence {parameters!r} {final!r}")
