package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
                "set the target's directory to one that the nodes see and users write to",
                () -> well("directory", files.tried(who) + " can be written to " + programs.place())));
        return findings;
    }

    private static Finding tried(String name, String remedy, Supplier<Finding> look) {
        try {
            return look.get();
        } catch (EngineException e) {
            return new Finding(name, false, e.sentence(), Optional.of(remedy));
        }
    }

    private static Finding well(String name, String sentence) {
        return new Finding(name, true, sentence, Optional.empty());
    }

    /** Asked for its version a program of Slurm's may look for a configuration; for its help none does. */
    private Finding program(Submitter who, String program) {
        Said said = programs.slurm(who, List.of(program, "--help"));
        if (!said.isWell() && said.text().isBlank()) {
            throw programs.failure(program, said);
        }
        return well(program, "it is there " + programs.place());
    }

    private Finding controller(Submitter who) {
        Health now = health.now(who);
        return well("controller", now.sentence() + "; " + now.order());
    }

    private Finding nodes(Submitter who) {
        Health now = health.now(who);
        return now.isWell()
                ? well("nodes", now.capacity())
                : new Finding(
                        "nodes",
                        false,
                        "no node can run a job: " + now.sentence(),
                        Optional.of("sinfo -R says why; scontrol update NodeName=NAME State=RESUME"));
    }

    private Finding partition(Submitter who) {
        String wanted = programs.settings().partition();
        List<String> all = programs.answer(who, List.of("sinfo", "--noheader", "--format=%P"))
                .lines()
                .map(String::strip)
                .toList();
        if (wanted == null) {
            return all.stream().anyMatch(name -> name.endsWith("*"))
                    ? well("partition", "jobs go to the cluster's default partition")
                    : new Finding(
                            "partition",
                            false,
                            "the cluster has no default partition, and the target names none",
                            Optional.of("set the target's partition to one of: " + String.join(", ", all)));
        }
        return all.contains(wanted) || all.contains(wanted + "*")
                ? well("partition", "there is a partition " + wanted)
                : new Finding(
                        "partition",
                        false,
                        "Slurm has no partition " + wanted,
                        Optional.of("set the target's partition to one of: " + String.join(", ", all)));
    }

    private Finding accounts(Submitter who) {
        String config = programs.answer(who, List.of("scontrol", "show", "config"));
        String storage = SlurmText.setting(config, "AccountingStorageType").orElse("");
        if (storage.endsWith("/none")) {
            return well(
                    "accounts",
                    "Slurm keeps none: what jobs have used is not known, and how one ended that the server missed for minutes"
                            + " is known from its directory alone");
        }
        String account = programs.settings().account();
        if (account == null) {
            String _ = programs.answer(who, List.of("sacctmgr", "--noheader", "--parsable2", "show", "cluster"));
            return well("accounts", "Slurm keeps them");
        }
        String known = programs.answer(
                who, List.of("sacctmgr", "--noheader", "--parsable2", "show", "account", "format=account"));
        return known.lines().anyMatch(account::equals)
                ? well("accounts", "Slurm knows the account " + account)
                : new Finding(
                        "accounts",
                        false,
                        "Slurm knows no account " + account,
                        Optional.of("sacctmgr add account " + account));
    }
}
