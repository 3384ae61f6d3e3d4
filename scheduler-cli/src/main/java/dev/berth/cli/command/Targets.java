package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;
import java.io.IOException;

/** {@code berth targets}: where jobs can go. */
final class Targets implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "targets",
                        "",
                        "List where jobs can go: this machine's own queue, and the engines that the operator set up, with"
                                + " how each is, what it can hold, and how jobs follow each other there.",
                        "Their names are the first words of berth submit. An operator sets them up in the configuration"
                                + " (docs/targets.md); berth doctor --target NAME says what one lacks.")
                .examples("berth targets", "berth targets --json", "berth targets -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        TargetList list = session.client().targets();
        session.output().targets(list);
        for (TargetView target : list.targets()) {
            if (!target.state().equals(TargetView.OK)) {
                session.output().warning("target " + target.name() + ": " + target.sentence());
            }
        }
        return ExitCode.OK;
    }
}
