package dev.berth.cli.command;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import java.util.ArrayList;
import java.util.List;

/** The ids of receivers that a line names. What is none is not repeated: it may be a receiver with its secret. */
final class ReceiverIds {
    private ReceiverIds() {}

    static List<Long> of(Arguments arguments) {
        if (arguments.words().isEmpty()) {
            throw Failure.usage(
                    "berth " + arguments.command() + " needs the id of a receiver; berth notify list shows them");
        }
        List<Long> ids = new ArrayList<>();
        for (String word : arguments.words()) {
            ids.add(id(word));
        }
        return ids;
    }

    static long only(Arguments arguments) {
        List<Long> ids = of(arguments);
        if (ids.size() > 1) {
            throw Failure.usage("berth " + arguments.command() + " takes one id, not " + ids.size());
        }
        return ids.getFirst();
    }

    private static long id(String word) {
        try {
            long id = Long.parseLong(word);
            if (id > 0) {
                return id;
            }
        } catch (NumberFormatException notANumber) {
            throw noId();
        }
        throw noId();
    }

    private static Failure noId() {
        return Failure.usage("that is not the id of a receiver, which is a whole number; berth notify list shows them");
    }
}
