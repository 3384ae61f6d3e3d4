package dev.berth.cli.output.text;

import dev.berth.core.api.TargetView;
import java.util.List;

/** Targets for people. What one does not say is "-". */
public final class TargetText {
    private static final String NOTHING = "-";
    private static final int STATE_COLUMN = 2;

    private TargetText() {}

    public static Table table(List<TargetView> targets) {
        Table table = new Table("NAME", "KIND", "STATE", "JOBS", "HOLDS", "ORDER").painted(STATE_COLUMN);
        for (TargetView target : targets) {
            table.row(
                    target.name(),
                    target.kind(),
                    target.shownState(),
                    Long.toString(target.jobs()),
                    said(target.capacity()),
                    said(target.order()));
        }
        return table;
    }

    private static String said(String words) {
        return words.isEmpty() ? NOTHING : words;
    }
}
