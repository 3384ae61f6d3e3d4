package dev.berth.cli.output.text;

import java.util.ArrayList;
import java.util.List;

/** A line of pieces in different colours, cut to a width as a whole. */
final class ColouredLine {
    private static final String BLANKS = "  ";

    private record Stroke(char colour, String text) {}

    private final List<Stroke> strokes = new ArrayList<>();

    /** A piece in no colour. */
    ColouredLine plain(String text) {
        return in(Colours.NONE, text);
    }

    /** A piece in a colour of {@link Colours}. */
    ColouredLine in(char colour, String text) {
        strokes.add(new Stroke(colour, PlainText.of(text)));
        return this;
    }

    /**
     * The line, without blanks at its end.
     *
     * @param columns how wide it may be; 0 for as wide as it wants
     */
    String line(int columns, boolean colour) {
        int width = strokes.stream()
                .mapToInt(stroke -> PlainText.width(stroke.text))
                .sum();
        int room = columns > 0 && width > columns ? columns - 1 : Integer.MAX_VALUE;
        StringBuilder line = new StringBuilder();
        for (Stroke stroke : strokes) {
            int wide = PlainText.width(stroke.text);
            if (wide <= room) {
                line.append(painted(stroke, stroke.text, colour));
                room -= wide;
                continue;
            }
            // Longer than there is room for in every case, so that it ends with an ellipsis.
            String cut = PlainText.cut(stroke.text + BLANKS, room + 1);
            return line.append(painted(stroke, cut, colour)).toString();
        }
        return line.toString().stripTrailing();
    }

    private static String painted(Stroke stroke, String text, boolean colour) {
        return colour ? Colours.in(stroke.colour, text) : text;
    }
}
