package dev.berth.cli.command;

import dev.berth.cli.command.project.DeleteProject;
import dev.berth.cli.command.project.NotesOfProject;
import dev.berth.cli.command.project.Projects;
import dev.berth.cli.command.project.RenameProject;
import dev.berth.cli.command.submit.Lease;
import dev.berth.cli.command.submit.Run;
import dev.berth.cli.command.submit.Submit;
import dev.berth.cli.command.submit.SweepSubmit;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.ForeignCommands;
import dev.berth.core.command.ClosestWord;
import java.util.List;

/** All commands by name. A verb's object is made only when it is asked for. */
public final class Verbs {
    private Verbs() {}

    public static Verb of(String name) {
        return switch (name) {
            case "server start" -> new ServerStart();
            case "server stop" -> new ServerStop();
            case "server status" -> new ServerStatus();
            case "server pause" -> new ServerPause(true);
            case "server resume" -> new ServerPause(false);
            case "server backup" -> new ServerBackup();
            case "server restore" -> new ServerRestore();
            case "server check" -> new ServerCheck();
            case "config show" -> new ConfigShow();
            case "config check" -> new ConfigCheck();
            case "submit" -> new Submit();
            case "sweep expand" -> new SweepExpand();
            case "sweep submit" -> new SweepSubmit();
            case "run" -> new Run();
            case "lease" -> new Lease();
            case "ps" -> new Ps();
            case "top" -> new Top();
            case "status" -> new Status();
            case "explain" -> new Explain();
            case "logs" -> new Logs();
            case "events" -> new Events();
            case "history" -> new History();
            case "metrics" -> new Metrics();
            case "params" -> new Params();
            case "artifacts" -> new Artifacts();
            case "best" -> new Best();
            case "compare" -> new Compare();
            case "export" -> new Export();
            case "tag" -> new Tag();
            case "projects" -> new Projects();
            case "projects rename" -> new RenameProject();
            case "projects delete" -> new DeleteProject();
            case "projects notes" -> new NotesOfProject();
            case "wait" -> new Wait();
            case "cancel" -> new Cancel();
            case "hold" -> new Hold(true);
            case "release" -> new Hold(false);
            case "resubmit" -> new Resubmit();
            case "get" -> new Get();
            case "delete" -> new Delete();
            case "gpus" -> new Gpus();
            case "gpus drain" -> new GpuService(true);
            case "gpus resume" -> new GpuService(false);
            case "profiles" -> new Profiles();
            case "targets" -> new Targets();
            case "doctor" -> new Doctor();
            case "open" -> new Open();
            case "notify add" -> new NotifyAdd();
            case "notify list" -> new NotifyList();
            case "notify test" -> new NotifyTest();
            case "notify remove" -> new NotifyRemove();
            case "token create" -> new TokenCreate();
            case "token list" -> new Tokens();
            case "token revoke" -> new TokenRevoke();
            case "completion" -> new Completion();
            default -> throw unknown(name);
        };
    }

    private static Failure unknown(String name) {
        String instead = ForeignCommands.instead(name);
        return Failure.usage(
                instead != null
                        ? name + " is not Berth's: " + instead
                        : "unknown command " + name + question(name) + " berth --help lists them all");
    }

    /** Of two words the second is in question where the first is one of Berth's. What ends or removes is never offered. */
    private static String question(String name) {
        String group = name.substring(0, name.indexOf(' ') + 1);
        List<String> meant = CommandNames.ALL.stream()
                .filter(other -> !CommandNames.ENDING.contains(other) && other.startsWith(group))
                .map(other -> other.substring(group.length()))
                .toList();
        String nearest = ClosestWord.of(name.substring(group.length()), meant);
        return nearest == null ? ";" : "; did you mean " + group + nearest + "?";
    }
}
