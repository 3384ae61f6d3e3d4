package dev.berth.cli.json;

import dev.berth.cli.exit.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON, RFC 8259. By hand, because the class that Jackson's parser keeps its largest numbers in takes a tenth of a
 * command's time to set up. Whole numbers of 64 bits become a {@link Long}, others a {@link Double}. For one text.
 */
final class JsonReader {
    private static final int MAX_DEPTH = 100;

    private final String text;
    private final @Nullable JsonSources sources;
    private int at;
    private int depth;

    private JsonReader(String text, @Nullable JsonSources sources) {
        this.text = text;
        this.sources = sources;
    }

    /** The one value that the text is: a {@link JsonObject}, list, text, number, boolean or null. */
    static @Nullable Object read(String text, @Nullable JsonSources sources) {
        JsonReader reader = new JsonReader(text, sources);
        Object value = reader.value();
        if (reader.next() != 0) {
            throw reader.wrong("something follows its end");
        }
        return value;
    }

    private @Nullable Object value() {
        return switch (next()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private JsonObject object() {
        int from = at;
        open();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (more('}', fields.isEmpty())) {
            if (next() != '"') {
                throw wrong("a field has no name");
            }
            String name = string();
            expect(':');
            if (fields.containsKey(name)) {
                throw wrong("a field is there twice");
            }
            fields.put(name, value());
        }
        return new JsonObject(fields, new JsonObject.Source(text, from, at, sources));
    }

    private List<@Nullable Object> array() {
        open();
        List<@Nullable Object> items = new ArrayList<>();
        while (more(']', items.isEmpty())) {
            items.add(value());
        }
        return items;
    }

    private void open() {
        at++;
        if (++depth > MAX_DEPTH) {
            throw wrong("it is nested too deeply");
        }
    }

    /** Whether another item comes; passes over the comma before it, or over the end. */
    private boolean more(char end, boolean first) {
        if (next() == end) {
            at++;
            depth--;
            return false;
        }
        if (!first) {
            expect(',');
        }
        return true;
    }

    private void expect(char wanted) {
        if (next() != wanted) {
            throw wrong("a '" + wanted + "' is missing");
        }
        at++;
    }

    /** The next character that is no blank; 0 at the end. */
    private char next() {
        while (at < text.length()) {
            char next = text.charAt(at);
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                return next;
            }
            at++;
        }
        return 0;
    }

    private @Nullable Object word(String word, @Nullable Object meaning) {
        if (!text.startsWith(word, at)) {
            throw wrong("a word is unknown");
        }
        at += word.length();
        return meaning;
    }

    private String string() {
        int from = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\' && text.charAt(at) >= ' ') {
            at++;
        }
        StringBuilder longer = null;
        while (at < text.length() && text.charAt(at) != '"') {
            longer = longer == null ? new StringBuilder(text.substring(from, at)) : longer;
            char next = text.charAt(at++);
            if (next < ' ') {
                throw wrong("a control character stands in a text");
            }
            longer.append(next == '\\' ? escaped() : next);
        }
        if (at == text.length()) {
            throw wrong("a text does not end");
        }
        String string = longer == null ? text.substring(from, at) : longer.toString();
        at++;
        return string;
    }

    private char escaped() {
        char kind = at < text.length() ? text.charAt(at++) : 0;
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("an escape is unknown");
        };
    }

    private char unicode() {
        int value = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) {
                throw wrong("an escape is unknown");
            }
            value = value << 4 | digit;
        }
        return (char) value;
    }

    private Number number() {
        int from = at;
        skip('-');
        boolean whole = true;
        if (!skip('0')) {
            digits();
        }
        if (skip('.')) {
            whole = false;
            digits();
        }
        if (skip('e') || skip('E')) {
            whole = false;
            if (!skip('+')) {
                skip('-');
            }
            digits();
        }
        String number = text.substring(from, at);
        try {
            return whole ? Long.valueOf(number) : (Number) Double.valueOf(number);
        } catch (NumberFormatException tooLong) {
            return Double.valueOf(number);
        }
    }

    private boolean skip(char wanted) {
        boolean there = at < text.length() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private void digits() {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == from) {
            throw wrong("a value is missing");
        }
    }

    private Failure wrong(String what) {
        return Failure.badAnswer("it is not JSON (" + what + ", at character " + at + ")");
    }
}
