package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.ProfileList;
import java.io.IOException;

/** {@code berth profiles}: the profiles that the caller may name in a submit. */
final class Profiles implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "profiles",
                        "",
                        "List the profiles that you may name in berth submit --profile, and say what is wrong with their"
                                + " file.",
                        "An operator writes them, in QHub's form, into the file that profiles.file names; a changed file"
                                + " counts at once.")
                .examples("berth profiles", "berth profiles --json", "berth profiles -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        ProfileList list = session.client().profiles();
        session.output().profiles(list);
        list.remarks().forEach(session.output()::notice);
        list.problems().forEach(session.output()::warning);
        return ExitCode.OK;
    }
}
