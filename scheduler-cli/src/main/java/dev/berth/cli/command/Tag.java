package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.TagRequest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code berth tag}: shows, sets and removes tags of a job. */
final class Tag implements Verb {
    private static final String REMOVE = "--remove";

    @Override
    public Shape shape() {
        return Shape.of(
                        "tag",
                        "<id> [<tag>[=<value>]...]",
                        "Set tags of a job, with values or without; without a tag, list those that it has.",
                        "Tags are what it was submitted with, what its program told, and what is set here; berth status shows those"
                                + " that it was submitted with.")
                .values("TAG", "Remove this tag.", REMOVE)
                .examples(
                        "berth tag 17",
                        "berth tag 17 baseline stage=2",
                        "berth tag 17 --remove baseline",
                        "berth history --where baseline");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        List<String> words = arguments.words();
        List<String> removed = arguments.values(REMOVE);
        Map<String, String> set = new LinkedHashMap<>();
        for (String word : words.subList(Math.min(1, words.size()), words.size())) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (name.isEmpty()) {
                throw Failure.usage("tag: '" + word + "' must have a name; for example berth tag 17 stage=2");
            }
            if (removed.contains(name)) {
                throw Failure.usage("tag: '" + name + "' is to be set and removed; give one of them");
            }
            set.put(name, equals < 0 ? "" : word.substring(equals + 1));
        }
        long id = JobIds.only("tag", new JobIds(client).of("tag", words.subList(0, Math.min(1, words.size()))));
        session.output()
                .tags(
                        set.isEmpty() && removed.isEmpty()
                                ? client.tracking(id)
                                : client.tag(id, new TagRequest(set, removed)));
        return ExitCode.OK;
    }
}
