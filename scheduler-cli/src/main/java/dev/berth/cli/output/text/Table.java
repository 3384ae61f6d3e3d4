package dev.berth.cli.output.text;

import java.util.ArrayList;
import java.util.List;

/** Rows under headings, in columns of their own width. On a terminal too narrow for them, long columns are cut. */
public final class Table {
    private static final String GAP = "   ";
    private static final int MIN_CUT_WIDTH = 8;

    private final List<List<String>> rows = new ArrayList<>();
    private final int[] widths;
    private int paintedColumn = -1;
    private int firmColumn = -1;

    public Table(String... headings) {
        widths = new int[headings.length];
        row(headings);
    }

    /** Has the cells of a column in colours, where there are colours: by {@link Colours}. */
    public Table painted(int column) {
        paintedColumn = column;
        return this;
    }

    /** Has a column that is never cut, such as a time. */
    Table firm(int column) {
        firmColumn = column;
        return this;
    }

    public Table row(String... cells) {
        if (cells.length != widths.length) {
            throw new IllegalArgumentException(cells.length + " cells in a table of " + widths.length + " columns");
        }
        List<String> row = new ArrayList<>(cells.length);
        for (int column = 0; column < cells.length; column++) {
            String cell = PlainText.of(cells[column]);
            widths[column] = Math.max(widths[column], PlainText.width(cell));
            row.add(cell);
        }
        rows.add(row);
        return this;
    }

    /**
     * The lines, without blanks at their ends.
     *
     * @param columns how wide a line may be; 0 for as wide as it wants
     */
    public List<String> lines(int columns) {
        return lines(columns, false);
    }

    /**
     * The lines, without blanks at their ends.
     *
     * @param columns how wide a line may be on a terminal; 0 for as wide as it wants, and no terminal
     * @param colour whether colours are wanted
     */
    public List<String> lines(int columns, boolean colour) {
        int[] fitting = columns > 0 ? fitted(columns) : widths;
        List<String> lines = new ArrayList<>(rows.size());
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            int blanks = 0;
            for (int column = 0; column < fitting.length; column++) {
                String whole = row.get(column);
                String cell = PlainText.cut(whole, fitting[column]);
                if (!cell.isEmpty()) {
                    line.repeat(' ', blanks);
                    blanks = 0;
                    String shown = columns > 0 ? PlainText.isolated(cell) : cell;
                    line.append(colour && column == paintedColumn ? Colours.paint(whole, shown) : shown);
                }
                blanks += fitting[column] - PlainText.width(cell) + GAP.length();
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** Takes from the widest column again and again, the last one of equals, until the line fits or nothing is left. */
    private int[] fitted(int columns) {
        int[] fitting = widths.clone();
        int total = GAP.length() * (fitting.length - 1);
        for (int width : fitting) {
            total += width;
        }
        while (total > columns) {
            int widest = firmColumn == 0 ? 1 : 0;
            for (int column = widest + 1; column < fitting.length; column++) {
                widest = column != firmColumn && fitting[column] >= fitting[widest] ? column : widest;
            }
            if (fitting[widest] <= MIN_CUT_WIDTH) {
                break;
            }
            fitting[widest]--;
            total--;
        }
        return fitting;
    }
}
