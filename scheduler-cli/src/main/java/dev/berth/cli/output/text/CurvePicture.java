package dev.berth.cli.output.text;

import java.util.ArrayList;
import java.util.List;

/**
 * A curve drawn on a terminal, with its highest and lowest value beside it: by Braille's dots, two by four a character (Unicode
 * 15, block 2800), or by stars where the terminal knows ASCII alone.
 */
final class CurvePicture {
    private static final int BRAILLE = 0x2800;

    /** The bit of each dot, by its column and its row from above. */
    private static final int[][] DOTS = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

    private static final int MIN_COLUMNS = 10;

    private final int columns;
    private final int rows;
    private final boolean unicode;
    private final int dotsAcross;
    private final int dotsDown;

    /** A picture of at most so many columns, labels included. */
    CurvePicture(int columns, int rows, boolean unicode) {
        this.columns = columns;
        this.rows = rows;
        this.unicode = unicode;
        this.dotsAcross = unicode ? DOTS.length : 1;
        this.dotsDown = unicode ? DOTS[0].length : 1;
    }

    /** The lines, the highest first; values that are no number, or beyond all numbers, leave a gap. */
    List<String> lines(List<Double> values) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            if (Double.isFinite(value)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        }
        if (low > high) {
            return List.of();
        }
        String top = Figures.of(high);
        String bottom = Figures.of(low);
        int label = Math.max(top.length(), bottom.length());
        int width = Math.max(MIN_COLUMNS, columns - label - 3);
        boolean[][] dots = dots(values, width, low, high);
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            String said = row == 0 ? top : row == rows - 1 ? bottom : "";
            String line =
                    " ".repeat(label - said.length()) + said + " " + (unicode ? "│" : "|") + row(dots, row, width);
            lines.add(line.stripTrailing());
        }
        return lines;
    }

    /** The dots by column and by row from above. */
    private boolean[][] dots(List<Double> values, int width, double low, double high) {
        int across = width * dotsAcross;
        int down = rows * dotsDown;
        boolean[][] dots = new boolean[across][down];
        int before = -1;
        for (int at = 0; at < values.size(); at++) {
            double value = values.get(at);
            if (!Double.isFinite(value)) {
                before = -1;
                continue;
            }
            int x = values.size() == 1 ? 0 : (int) ((long) at * (across - 1) / (values.size() - 1));
            // By halves, as the whole range may be more than a double holds.
            double share = high == low ? 0.5 : (high / 2 - value / 2) / (high / 2 - low / 2);
            int y = (int) Math.round(share * (down - 1));
            for (int dot = before < 0 ? y : Math.min(before, y); dot <= (before < 0 ? y : Math.max(before, y)); dot++) {
                dots[x][dot] = true;
            }
            before = y;
        }
        return dots;
    }

    private String row(boolean[][] dots, int row, int width) {
        StringBuilder line = new StringBuilder(width);
        for (int column = 0; column < width; column++) {
            int bits = 0;
            for (int x = 0; x < dotsAcross; x++) {
                for (int y = 0; y < dotsDown; y++) {
                    bits |= dots[column * dotsAcross + x][row * dotsDown + y] ? DOTS[x][y] : 0;
                }
            }
            line.append(bits == 0 ? ' ' : unicode ? (char) (BRAILLE + bits) : '*');
        }
        return line.toString();
    }
}
