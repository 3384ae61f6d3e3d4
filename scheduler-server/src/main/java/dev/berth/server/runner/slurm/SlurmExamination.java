package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Looks at all that a job at Slurm needs before one is handed over, and says of each thing how it is mended. */
record SlurmExamination(UserPrograms programs, SharedFiles files, SlurmHealth health) {
    private static final List<String> NEEDED = List.of("sbatch", "squeue", "scancel", "scontrol", "sinfo", "sacct");

    List<Finding> findings(Submitter who) {
        List<Finding> findings = new ArrayList<>();
        for (String program : NEEDED) {
            findings.add(
                    tried(program, "install slurm-client, or set the target's programs", () -> program(who, program)));
        }
        findings.add(tried("controller", "scontrol ping", () -> controller(who)));
        findings.add(tried("nodes", "sinfo -N -R", () -> nodes(who)));
        findings.add(tried("partition", "sinfo -h -o %R", () -> partition(who)));
        findings.add(tried("accounts", "sacctmgr show cluster", () -> accounts(who)));
        findings.add(tried(
                "directory",
                "set targets.NAME.slurm.directory to one that the nodes see and users write to",
                () -> Finding.well("directory", files.tried(who) + " can be written to " + programs.place())));
        return findings;
    }

    private static Finding tried(String name, String remedy, Supplier<Finding> look) {
        try {
            return look.get();
        } catch (EngineException e) {
            return Finding.failure(name, e.sentence(), remedy);
        }
    }

    /** Why one says nothing of itself is in the sentence, with what mends it: it may be there, and lack its configuration. */
    private Finding program(Submitter who, String program) {
        Said said = programs.slurm(who, List.of(program, "--help"));
        return said.isWell() || !said.text().isBlank()
                ? Finding.well(program, "it is there " + programs.place())
                : Finding.failure(program, programs.failure(program, said).sentence());
    }

    private Finding controller(Submitter who) {
        Health now = health.now(who);
        return Finding.well("controller", now.sentence() + "; " + now.order());
    }

    private Finding nodes(Submitter who) {
        Health now = health.now(who);
        return now.isWell()
                ? Finding.well("nodes", now.capacity())
                : Finding.failure(
                        "nodes",
                        "no node can run a job: " + now.sentence(),
                        "sinfo -R says why; scontrol update NodeName=NAME State=RESUME");
    }

    private Finding partition(Submitter who) {
        String wanted = programs.settings().partition();
        List<String> all = programs.answer(who, List.of("sinfo", "--noheader", "--format=%P"))
                .lines()
                .map(String::strip)
                .toList();
        if (wanted == null) {
            return all.stream().anyMatch(name -> name.endsWith("*"))
                    ? Finding.well("partition", "jobs go to the cluster's default partition")
                    : Finding.failure(
                            "partition",
                            "the cluster has no default partition, and the target names none",
                            "set targets.NAME.slurm.partition to one of: " + String.join(", ", all));
        }
        return all.contains(wanted) || all.contains(wanted + "*")
                ? Finding.well("partition", "there is a partition " + wanted)
                : Finding.failure(
                        "partition",
                        "Slurm has no partition " + wanted,
                        "set targets.NAME.slurm.partition to one of: " + String.join(", ", all));
    }

    private Finding accounts(Submitter who) {
        String config = programs.answer(who, List.of("scontrol", "show", "config"));
        String storage = SlurmText.setting(config, "AccountingStorageType").orElse("");
        if (storage.endsWith("/none")) {
            return Finding.well(
                    "accounts",
                    "Slurm keeps none: what jobs have used is not known, and how one ended that the server missed for minutes"
                            + " is known from its directory alone");
        }
        String account = programs.settings().account();
        if (account == null) {
            String _ = programs.answer(who, List.of("sacctmgr", "--noheader", "--parsable2", "show", "cluster"));
            return Finding.well("accounts", "Slurm keeps them");
        }
        String known = programs.answer(
                who, List.of("sacctmgr", "--noheader", "--parsable2", "show", "account", "format=account"));
        return known.lines().anyMatch(account::equals)
                ? Finding.well("accounts", "Slurm knows the account " + account)
                : Finding.failure("accounts", "Slurm knows no account " + account, "sacctmgr add account " + account);
    }
}
