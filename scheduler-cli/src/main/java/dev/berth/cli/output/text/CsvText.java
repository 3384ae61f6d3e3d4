package dev.berth.cli.output.text;

import java.util.List;

/** Lines of CSV by RFC 4180, but for their ends, which are the machine's. */
public final class CsvText {
    private CsvText() {}

    /** A line without its end. */
    public static String line(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int at = 0; at < cells.size(); at++) {
            line.append(at == 0 ? "" : ",").append(cell(cells.get(at)));
        }
        return line.toString();
    }

    private static String cell(String text) {
        boolean isPlain =
                text.indexOf(',') < 0 && text.indexOf('"') < 0 && text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
