package dev.berth.cli.line;

import java.util.List;

/** The completion script for fish. */
public final class FishCompletion {
    private static final String HEAD = """
            # Completion for fish, made by: berth completion fish
            function __berth_is
                set -l words
                for each in (commandline -opc)[2..]
                    if test "$each" = --
                        return 1
                    end
                    string match -q -- '-*' $each; or set -a words $each
                end
                if test (count $argv) -eq 0
                    test (count $words) -eq 0
                    return
                end
                set -l wanted (string split ' ' -- $argv[1])
                test (count $words) -ge (count $wanted); or return 1
                test "$words[1..$(count $wanted)]" = "$argv[1]"; or return 1
                test (count $argv) -eq 1; or test (math (count $words) - (count $wanted)) -eq $argv[2]
            end
            function __berth_at
                set -l at
                set -l names
                for each in (commandline -opc)[2..]
                    if set -q names[1]
                        set -a at $names[1] $each
                        set -e names
                    else if contains -- $each @ADDRESS@
                        set names $each
                    else if string match -q -r -- '^(@EITHER@)=' $each
                        set -a at $each
                    else if test "$each" = --
                        break
                    end
                end
                printf '%s\\n' $at
            end
            function __berth_ids
                set -l at (__berth_at)
                echo last
                @IDS@
            end
            function __berth_profiles
                set -l at (__berth_at)
                @PROFILES@
            end
            """;

    private static final String JOBS = "'(__berth_ids)'";
    private static final String PROFILES = "'(__berth_profiles)'";

    private FishCompletion() {}

    public static String of(List<CompletionWords> commands) {
        StringBuilder script = new StringBuilder(HEAD.replace("@IDS@", CompletionWords.ids("$at"))
                .replace("@PROFILES@", CompletionWords.profiles("$at"))
                .replace("@ADDRESS@", String.join(" ", CompletionWords.ADDRESS))
                .replace("@EITHER@", String.join("|", CompletionWords.ADDRESS)));
        String firstWords = String.join(" ", CompletionWords.firstWords(commands));
        line(script, "__berth_is", "-f -a '" + firstWords + "'");
        for (String group : CompletionWords.groups(commands)) {
            line(
                    script,
                    "__berth_is " + group + " 0",
                    "-f -a '" + String.join(" ", CompletionWords.secondWords(commands, group)) + "'");
        }
        for (CompletionWords command : commands) {
            words(script, command);
            for (CompletionWords.Option option : command.options()) {
                line(script, is(command), option(option));
            }
        }
        return script.toString();
    }

    private static String is(CompletionWords command) {
        return "__berth_is \"" + command.name() + "\"";
    }

    private static void words(StringBuilder script, CompletionWords command) {
        if (command.takesIds()) {
            line(script, is(command), "-f -a " + JOBS);
        } else if (command.name().equals(CompletionWords.SUBMIT)) {
            line(script, is(command) + " 0", "-f -a scheduler");
        } else if (command.name().equals(CompletionWords.COMPLETION)) {
            line(script, is(command) + " 0", "-f -a 'bash zsh fish'");
        } else {
            line(script, is(command), "-f");
        }
    }

    private static String option(CompletionWords.Option option) {
        StringBuilder text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                    .append(' ');
        }
        String choices = CompletionWords.choices(option.value());
        switch (option.value()) {
            case NONE -> text.append("-f ");
            case FILE -> text.append("-r -F ");
            case ANY -> text.append("-x ");
            case PROFILE -> text.append("-x -a ").append(PROFILES).append(' ');
            case JOB -> text.append("-x -a ").append(JOBS).append(' ');
            default -> text.append("-x -a '").append(choices).append("' ");
        }
        return text.append("-d '").append(quoted(option.summary())).append('\'').toString();
    }

    private static void line(StringBuilder script, String condition, String what) {
        script.append("complete -c berth -n '")
                .append(condition)
                .append("' ")
                .append(what)
                .append('\n');
    }

    private static String quoted(String text) {
        return text.replace("\\", "\\\\").replace("'", "\\'");
    }
}
