package dev.berth.server.notify;

import dev.berth.server.cgroup.LimitedCgroups;
import dev.berth.server.linux.Login;
import dev.berth.server.linux.Users;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Whose commands are run, as receivers of notices.
 *
 * @param isOn whether any are
 * @param serverUid whom the server runs as: root runs those of everybody but itself, another user their own
 */
public record CommandRules(boolean isOn, LimitedCgroups cgroups, long serverUid, Users users) {
    /** None at all, and why. */
    public static CommandRules none(String why) {
        return new CommandRules(true, LimitedCgroups.none(why), 0, new Users());
    }

    private static final List<Path> PROGRAMS = List.of(Path.of("/usr/bin/setpriv"), Path.of("/usr/bin/setsid"));

    /** A user whose commands may be run, or the rule that they break. */
    sealed interface Answer {
        record May(Login login) implements Answer {}

        record MayNot(String rule) implements Answer {}
    }

    /**
     * The rule that such a wish breaks, for people; empty where it may be.
     *
     * @param isLocal whether it came by the Unix socket
     */
    Optional<String> objection(long uid, boolean isLocal) {
        if (!isLocal) {
            return Optional.of(
                    "is a command, and a token lets nobody run anything outside of a container; give it on the"
                            + " machine itself");
        }
        return answer(uid) instanceof Answer.MayNot no ? Optional.of(no.rule) : Optional.empty();
    }

    /** Whether this user's commands may be run now. */
    Answer answer(long uid) {
        if (!isOn) {
            return new Answer.MayNot("is a command, and this server runs none (notify.commands)");
        }
        if (uid == 0) {
            return new Answer.MayNot("is a command, and none is run as root; give it as another user");
        }
        if (serverUid != 0 && uid != serverUid) {
            return new Answer.MayNot("is a command, and this server can run none as another user than its own");
        }
        Login login = users.login(uid).orElse(null);
        if (login == null) {
            return new Answer.MayNot("is a command, and user " + uid + " is not in this machine's user database");
        }
        if (!login.hasShell()) {
            return new Answer.MayNot("is a command, and the login shell of " + login.name() + " is "
                    + OneLine.of(login.shell(), 100) + ", by which the administrator lets them run none");
        }
        return unbounded().<Answer>map(Answer.MayNot::new).orElseGet(() -> new Answer.May(login));
    }

    /** Why none are run of anybody, for the administrator; empty where they are. Looks at the machine. */
    public Optional<String> whyNone() {
        if (!isOn) {
            return Optional.of("notify.commands is off");
        }
        return missing()
                .map(program -> program + " (util-linux) is not installed")
                .or(cgroups::whyNone);
    }

    private static Optional<Path> missing() {
        return PROGRAMS.stream().filter(program -> !Files.isExecutable(program)).findFirst();
    }

    private Optional<String> unbounded() {
        return missing()
                .map(program -> "is a command, and " + program + " (util-linux) is not installed on this machine")
                .or(() -> cgroups.whyNone().map(why -> "is a command, and this server can bound none here: " + why));
    }
}
