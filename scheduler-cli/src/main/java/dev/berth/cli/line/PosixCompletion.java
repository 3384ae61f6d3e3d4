package dev.berth.cli.line;

import dev.berth.cli.line.CompletionWords.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The completion scripts for bash and zsh. They are one function: how the line comes in and how the words go out is all
 * that differs. Where nothing is offered, both go on with file names.
 */
public final class PosixCompletion {
    private static final String BASH = """
            # Completion for bash, made by: berth completion bash
            _berth() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local -a line=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
                COMPREPLY=()
            @SHARED@
                if [[ -n $names ]]; then
                    # A quote that begins the word is the shell's to keep.
                    while IFS= read -r each; do
                        if [[ $word == [\\"\\']* ]]; then
                            [[ $each == "${word:1}"* ]] && COMPREPLY+=("$each")
                        elif [[ $(printf '%q' "$each") == "$word"* ]]; then
                            COMPREPLY+=("$(printf '%q' "$each")")
                        fi
                    done <<<"$names"
                    return
                fi
                # shellcheck disable=SC2207 # none of the words has a blank in it
                COMPREPLY=($(compgen -W "$offer" -- "$word"))
            }
            complete -o default -F _berth berth
            """;

    private static final String ZSH = """
            #compdef berth
            # Completion for zsh, made by: berth completion zsh
            _berth() {
                local word=${words[CURRENT]} previous=${words[CURRENT - 1]}
                local -a line=("${(@)words[2,CURRENT-1]}")
            @SHARED@
                if [[ -n $names ]]; then
                    compadd -- "${(@f)names}"
                elif [[ -n $offer ]]; then
                    compadd -- ${=offer}
                else
                    _files
                fi
            }
            if [[ $funcstack[1] == _berth ]]; then
                _berth "$@"
            else
                compdef _berth berth
            fi
            """;

    /** The command, and how many words stand behind it; then what may come next. */
    private static final String SHARED = """
                local command='' offer='' names='' each skip=no count=0 said=''
                local -a at=()
                for each in "${line[@]}"; do
                    if [[ $skip == yes ]]; then
                        # bash takes --option=value apart
                        [[ $each == '=' ]] && continue
                        skip=no
                        [[ -n $said ]] && at+=("$said" "${each/#\\~\\//$HOME/}")
                        said=''
                        continue
                    fi
                    case $each in
                    --) return ;;
                    @ADDRESS@) skip=yes said=$each ;;
                    @ASSIGNED@) at+=("$each") ;;
                    @VALUES@) skip=yes ;;
                    -*) ;;
                    *)
                        case $command in
                        '') command=$each ;;
                        @GROUPS@) command="$command $each" ;;
                        *) count=$((count + 1)) ;;
                        esac
                        ;;
                    esac
                done
                if [[ $skip == yes ]]; then
                    case $previous in
            @CHOICES@        *) return ;;
                    esac
                else
                    case $command in
                    '') offer='@FIRST@' ;;
            @COMMANDS@        esac
                fi
            """;

    private static final String JOBS = "\"last $(" + CompletionWords.ids("\"${at[@]}\"") + ")\"";

    /** Names may hold blanks: one a line. */
    private static final String PROFILES = "\"$(" + CompletionWords.profiles("\"${at[@]}\"") + ")\"";

    private PosixCompletion() {}

    public static String bash(List<CompletionWords> commands) {
        return BASH.replace("@SHARED@", shared(commands).stripTrailing());
    }

    public static String zsh(List<CompletionWords> commands) {
        return ZSH.replace("@SHARED@", shared(commands).stripTrailing());
    }

    private static String shared(List<CompletionWords> commands) {
        List<String> values = new ArrayList<>();
        StringBuilder choices = new StringBuilder();
        for (Value value : Value.values()) {
            Set<String> names = CompletionWords.optionsWith(commands, value);
            if (value == Value.NONE || names.isEmpty()) {
                continue;
            }
            values.addAll(names);
            if (value == Value.PROFILE) {
                choices.append("        ")
                        .append(String.join(" | ", names))
                        .append(") names=")
                        .append(PROFILES)
                        .append(" ;;\n");
            }
            String offer = value == Value.JOB ? JOBS : "'" + CompletionWords.choices(value) + "'";
            if (!offer.equals("''")) {
                choices.append("        ").append(String.join(" | ", names)).append(") offer=");
                choices.append(offer).append(" ;;\n");
            }
        }
        return SHARED.indent(0)
                .replace("@ADDRESS@", String.join(" | ", CompletionWords.ADDRESS))
                .replace("@ASSIGNED@", String.join("=* | ", CompletionWords.ADDRESS) + "=*")
                .replace("@VALUES@", String.join(" | ", values))
                .replace("@GROUPS@", String.join(" | ", CompletionWords.groups(commands)))
                .replace("@CHOICES@", choices)
                .replace("@FIRST@", String.join(" ", CompletionWords.firstWords(commands)) + " --help --version")
                .replace("@COMMANDS@", cases(commands));
    }

    private static String cases(List<CompletionWords> commands) {
        StringBuilder cases = new StringBuilder();
        for (String group : CompletionWords.groups(commands)) {
            branch(cases, group, String.join(" ", CompletionWords.secondWords(commands, group)) + " --help");
        }
        branch(cases, "help", String.join(" ", CompletionWords.firstWords(commands)));
        for (CompletionWords command : commands) {
            List<String> options = new ArrayList<>();
            for (CompletionWords.Option option : command.options()) {
                options.addAll(option.names());
            }
            String words = words(command);
            cases.append("        '").append(command.name()).append("')\n");
            cases.append("            if [[ $word == -* ]]; then\n                offer='");
            cases.append(String.join(" ", options)).append("'\n");
            if (!words.isEmpty()) {
                cases.append("            ").append(words).append('\n');
            }
            cases.append("            fi\n            ;;\n");
        }
        return cases.toString();
    }

    private static void branch(StringBuilder cases, String name, String offer) {
        cases.append("        ").append(name).append(") offer='").append(offer).append("' ;;\n");
    }

    /** The words that may come, as a further branch. */
    private static String words(CompletionWords command) {
        String once = "elif ((count == 0)); then\n                offer=";
        if (command.takesIds()) {
            return "else\n                offer=" + JOBS;
        }
        return switch (command.name()) {
            case CompletionWords.SUBMIT -> once + "scheduler";
            case CompletionWords.COMPLETION -> once + "'bash zsh fish'";
            default -> "";
        };
    }
}
