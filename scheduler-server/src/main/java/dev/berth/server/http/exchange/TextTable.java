package dev.berth.server.http.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A list as lines of text, for people with nothing but {@code curl} (who send {@code Accept: text/plain}). */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... heads) {
        rows.add(List.of(heads));
    }

    public static boolean isWanted(Exchange exchange) {
        return exchange.header("Accept")
                .filter(accept -> accept.startsWith("text/plain"))
                .isPresent();
    }

    /** Adds a row, and says how many characters it has. */
    public long row(Object... cells) {
        List<String> texts = new ArrayList<>();
        for (Object cell : cells) {
            texts.add(harmless(String.valueOf(cell)));
        }
        rows.add(texts);
        return texts.stream().mapToLong(String::length).sum();
    }

    /** The text without what a terminal would obey, which is not sent to one. */
    private static String harmless(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public void answer(Exchange exchange) throws IOException {
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < rows.getFirst().size(); column++) {
            int at = column;
            widths.add(rows.stream().mapToInt(row -> row.get(at).length()).max().orElse(0));
        }
        String text = rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
        try (var out = exchange.answer(200, "text/plain; charset=utf-8")) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String line(List<String> row, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            String cell = row.get(column);
            boolean isLast = column == row.size() - 1;
            line.append(cell).repeat(' ', isLast ? 0 : widths.get(column) - cell.length() + 2);
        }
        return line.toString().stripTrailing() + "\n";
    }
}
