package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.CompletionWords;
import dev.berth.cli.line.FishCompletion;
import dev.berth.cli.line.PosixCompletion;
import dev.berth.cli.line.Shape;
import java.util.List;

/** {@code berth completion}: the script by which a shell completes the words of a berth line. */
public final class Completion implements Verb {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Override
    public Shape shape() {
        return Shape.of(
                        "completion",
                        "<shell>",
                        "Print a script by which a shell completes berth's commands, options, states and job ids; <shell>"
                                + " is bash, zsh or fish.",
                        "")
                .examples(
                        "eval \"$(berth completion bash)\"",
                        "berth completion bash > ~/.local/share/bash-completion/completions/berth",
                        "berth completion zsh > ~/.zfunc/_berth",
                        "berth completion fish > ~/.config/fish/completions/berth.fish");
    }

    @Override
    public Reach reach() {
        return Reach.NONE;
    }

    @Override
    public int run(Arguments arguments, Session session) {
        List<String> words = arguments.words();
        if (words.size() != 1 || !SHELLS.contains(words.getFirst())) {
            throw Failure.usage("berth completion needs one of " + String.join(", ", SHELLS)
                    + " behind it; for example berth completion bash");
        }
        List<CompletionWords> commands = CompletionWords.of(
                CommandNames.ALL.stream().map(name -> Verbs.of(name).shape()).toList());
        String script = switch (words.getFirst()) {
            case "bash" -> PosixCompletion.bash(commands);
            case "zsh" -> PosixCompletion.zsh(commands);
            default -> FishCompletion.of(commands);
        };
        session.environment().screen().line(script.stripTrailing());
        return ExitCode.OK;
    }
}
