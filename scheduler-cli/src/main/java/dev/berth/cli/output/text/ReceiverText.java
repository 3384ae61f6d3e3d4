package dev.berth.cli.output.text;

import dev.berth.core.api.ReceiverView;
import java.util.List;

/** Receivers of notices for people. */
public final class ReceiverText {
    private ReceiverText() {}

    public static Table table(List<ReceiverView> receivers) {
        Table table = new Table("ID", "TOLD OF", "RECEIVER", "ADDED", "STATE");
        for (ReceiverView receiver : receivers) {
            table.row(
                    Long.toString(receiver.id()),
                    String.join(",", receiver.moments()),
                    receiver.receiver(),
                    Times.utc(receiver.createdAt()),
                    state(receiver));
        }
        return table;
    }

    private static String state(ReceiverView receiver) {
        String waiting = receiver.waiting() == 0 ? "" : ", " + receiver.waiting() + " waiting";
        if (receiver.error() != null) {
            return "fails: " + receiver.error() + waiting;
        }
        String sent = receiver.sentAt();
        return (sent == null ? "nothing sent yet" : "last sent " + Times.utc(sent)) + waiting;
    }

    public static String named(ReceiverView receiver) {
        return "receiver " + receiver.id() + " (" + String.join(",", receiver.moments()) + ":" + receiver.receiver()
                + ")";
    }
}
