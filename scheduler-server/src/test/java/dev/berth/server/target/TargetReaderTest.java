package dev.berth.server.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.ConfigurationException;
import dev.berth.server.config.ConfigurationText;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.runner.slurm.SlurmSettings;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.target.KubernetesFields.SnapshotWay;
import dev.berth.server.target.TargetConfig.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the section of targets may say, and the sentence for each thing that it may not. */
class TargetReaderTest {
    private static final long UID = new UnixSystem().getUid();

    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private Configuration read(TargetReader reader, Path file) {
        ProcessEnvironment environment =
                new ProcessEnvironment(Map.of(), folder, folder, folder.resolve("system.yaml"), UID);
        return Configuration.read(List.of("--config=" + file), environment, reader);
    }

    private List<TargetConfig> targets(String text) throws IOException {
        TargetReader reader = new TargetReader(UID);
        read(reader, file("berth.yaml", text));
        return reader.targets();
    }

    private List<String> problems(String text) throws IOException {
        Path file = file("berth.yaml", text);
        ConfigurationException wrong =
                catchThrowableOfType(ConfigurationException.class, () -> read(new TargetReader(UID), file));
        assertThat(wrong).as("it was taken").isNotNull();
        return wrong.problems().stream()
                .map(line -> line.replace(folder + "/", ""))
                .toList();
    }

    @Test
    void aSlurmTargetHasAllItsSettings() throws IOException {
        Path launcher = file("launch.sh", "exec \"$@\"\n");
        assertThat(targets("""
                        targets:
                          cluster:
                            slurm:
                              host: login.example.org
                              programs: /opt/slurm/bin
                              environment: {SLURM_CONF: /etc/slurm/lab.conf}
                              directory: /shared/berth
                              partition: gpu
                              account: lab
                              qos: normal
                              options: [--constraint=a100]
                              container: apptainer
                              launcher: LAUNCHER
                              deadline: 30s
                            at-once: 50
                            users: [ada, "@lab"]
                        """.replace("LAUNCHER", launcher.toString())))
                .containsExactly(new TargetConfig(
                        new TargetSettings("cluster", 50, List.of("ada", "@lab")),
                        new EngineSettings.Slurm(new SlurmSettings(
                                "login.example.org",
                                "/opt/slurm/bin",
                                Map.of("SLURM_CONF", "/etc/slurm/lab.conf"),
                                "/shared/berth",
                                "gpu",
                                "lab",
                                "normal",
                                List.of("--constraint=a100"),
                                new Launcher(Container.APPTAINER, "exec \"$@\"\n"),
                                Duration.ofSeconds(30)))));
    }

    @Test
    void whatIsNotSaidIsAsUsual() throws IOException {
        assertThat(targets("targets: {c: {slurm: }}"))
                .containsExactly(new TargetConfig(
                        new TargetSettings("c", TargetReader.DEFAULT_AT_ONCE, List.of()),
                        new EngineSettings.Slurm(new SlurmSettings(
                                null,
                                null,
                                Map.of(),
                                SlurmSettings.DEFAULT_DIRECTORY,
                                null,
                                null,
                                null,
                                List.of(),
                                new Launcher(Container.NONE, null),
                                SlurmSettings.DEFAULT_DEADLINE))));
        assertThat(targets("targets:")).isEmpty();
        assertThat(targets("server: {port: 1}")).isEmpty();
    }

    @Test
    void aKubernetesTargetHasAllItsSettings() throws IOException {
        assertThat(targets("""
                        targets:
                          k8s:
                            kubernetes:
                              kubeconfig: /etc/berth/kubeconfig
                              context: lab
                              namespace: jobs
                              queue: lab-queue
                              node-selector: {nvidia.com/gpu.product: NVIDIA-A100}
                              tolerations:
                                - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
                              runtime-class: nvidia
                              gpu-resource: nvidia.com/mig-1g.10gb
                              gpu-types: {a100: {nvidia.com/gpu.product: NVIDIA-A100}}
                              image-pull-secrets: [registry]
                              snapshot: {volume: {claim: berth, path: /shared/snapshots}}
                              start-deadline: 10m
                              deadline: 15s
                        """))
                .containsExactly(new TargetConfig(
                        new TargetSettings("k8s", TargetReader.DEFAULT_AT_ONCE, List.of()),
                        new EngineSettings.Kubernetes(new KubernetesFields(
                                Path.of("/etc/berth/kubeconfig"),
                                "lab",
                                "jobs",
                                "lab-queue",
                                Map.of("nvidia.com/gpu.product", "NVIDIA-A100"),
                                List.of(new Toleration("nvidia.com/gpu", null, "NoSchedule", null)),
                                "nvidia",
                                "nvidia.com/mig-1g.10gb",
                                Map.of("a100", Map.of("nvidia.com/gpu.product", "NVIDIA-A100")),
                                List.of("registry"),
                                new SnapshotWay.Volume("berth", Path.of("/shared/snapshots")),
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(15)))));
    }

    @Test
    void aSnapshotComesInThreeWays() throws IOException {
        assertThat(way("secret")).isEqualTo(new SnapshotWay.Secret());
        assertThat(way("{secret: }")).isEqualTo(new SnapshotWay.Secret());
        assertThat(way("{fetch: {url: 'https://lab.example.org:5555', image: busybox}}"))
                .isEqualTo(new SnapshotWay.Fetch("https://lab.example.org:5555", "busybox"));
    }

    private @Nullable SnapshotWay way(String text) throws IOException {
        EngineSettings engine = targets("targets: {k: {kubernetes: {snapshot: " + text + "}}}")
                .getFirst()
                .engine();
        return ((EngineSettings.Kubernetes) engine).fields().snapshot();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {scheduler: {slurm: }}                  | targets.scheduler: is this machine's own queue; give the target another name
            {Cluster: {slurm: }}                    | targets.Cluster: a target's name must be 1 to 30 lower-case letters, digits and hyphens, with no hyphen at an end
            {a-: {slurm: }}                         | targets.a-: a target's name must be 1 to 30 lower-case letters, digits and hyphens, with no hyphen at an end
            {abcdefghijabcdefghijabcdefghijx: {slurm: }} | targets.abcdefghijabcdefghijabcdefghijx: a target's name must be 1 to 30 lower-case letters, digits and hyphens, with no hyphen at an end
            [slurm]                                 | targets: is a section; what belongs to it stands below it, indented
            {c: slurm}                              | targets.c: is a section; what belongs to it stands below it, indented
            {c: {at-once: 5}}                       | targets.c: has no engine; write slurm: or kubernetes: below it
            {c: }                                   | targets.c: has no engine; write slurm: or kubernetes: below it
            {c: {slurm: , kubernetes: }}            | targets.c: has both slurm: (line 1) and kubernetes: (line 1), and a target has one engine; keep one of them
            {c: {slrum: }}                          | targets.c.slrum: is not a setting of a target; did you mean slurm? there are slurm, kubernetes, at-once, users
            {c: {slurm: , at-once: 0}}              | targets.c.at-once: '0' must be a whole number from 1 to 100000
            {c: {slurm: , at-once: [1]}}            | targets.c.at-once: must be one value and not a list or a section
            {c: {slurm: , users: ada}}              | targets.c.users: must be a list
            {c: {slurm: , users: ['@']}}            | targets.c.users: '@' must be a user's name, or @ and a group's name
            {c: {slurm: [gpu]}}                     | targets.c.slurm: is a section; what belongs to it stands below it, indented
            {c: {slurm: {partitoin: gpu}}}          | targets.c.slurm.partitoin: is not a setting of a Slurm target; did you mean partition? there are host, programs, environment, directory, partition, account, qos, options, container, launcher, deadline
            {c: {slurm: {partition: -gpu}}}         | targets.c.slurm.partition: '-gpu' must be a name of letters, digits and _ . , + -
            {c: {slurm: {partition: {gpu: 1}}}}     | targets.c.slurm.partition: must be one value and not a list or a section
            {c: {slurm: {account: a b}}}            | targets.c.slurm.account: 'a b' must be a name of letters, digits and _ . , + -
            {c: {slurm: {host: -oProxyCommand=x}}}  | targets.c.slurm.host: '-oProxyCommand=x' must be a host's name, or ssh's alias of one, without a user and a port; those belong into ssh's own configuration
            {c: {slurm: {programs: bin}}}           | targets.c.slurm.programs: 'bin' must be an absolute path
            {c: {slurm: {directory: berth}}}        | targets.c.slurm.directory: 'berth' must be an absolute path, or one in the submitter's home such as ~/.berth/jobs
            {c: {slurm: {directory: ~ada}}}         | targets.c.slurm.directory: '~ada' must be an absolute path, or one in the submitter's home such as ~/.berth/jobs
            {c: {slurm: {environment: [A]}}}        | targets.c.slurm.environment: is a section; what belongs to it stands below it, indented
            {c: {slurm: {environment: {A-B: 1}}}}   | targets.c.slurm.environment.A-B: the name must be a variable's name
            {c: {slurm: {options: [-p]}}}           | targets.c.slurm.options: '-p' must be a long option of sbatch, such as --constraint=a100
            {c: {slurm: {container: dokcer}}}       | targets.c.slurm.container: 'dokcer' must be one of none, apptainer, pyxis, docker; did you mean docker?
            {c: {slurm: {launcher: l.sh}}}          | targets.c.slurm.launcher: 'l.sh' must be an absolute path
            {c: {slurm: {deadline: 20}}}            | targets.c.slurm.deadline: '20' must be a duration above zero and of at most 3650 days, such as 30s, 2h or 1d12h
            {k: {kubernetes: {namespace: My_Jobs}}} | targets.k.kubernetes.namespace: 'My_Jobs' must be 1 to 63 lower-case letters, digits and hyphens
            {k: {kubernetes: {kubeconfig: k}}}      | targets.k.kubernetes.kubeconfig: 'k' must be an absolute path
            {k: {kubernetes: {qeue: lab}}}          | targets.k.kubernetes.qeue: is not a setting of a Kubernetes target; did you mean queue? there are kubeconfig, context, namespace, queue, node-selector, tolerations, runtime-class, gpu-resource, gpu-types, image-pull-secrets, snapshot, start-deadline, deadline
            {k: {kubernetes: {node-selector: [a]}}} | targets.k.kubernetes.node-selector: is a section; what belongs to it stands below it, indented
            {k: {kubernetes: {node-selector: {a: b c}}}} | targets.k.kubernetes.node-selector.a: 'b c' must be at most 63 letters, digits and . _ - in between
            {k: {kubernetes: {tolerations: [gpu]}}} | targets.k.kubernetes.tolerations: an item must be a toleration: {key: gpu, operator: Exists}
            {k: {kubernetes: {tolerations: [{operator: Is}]}}} | targets.k.kubernetes.tolerations.operator: 'Is' must be Equal or Exists
            {k: {kubernetes: {gpu-resource: gpu}}}  | targets.k.kubernetes.gpu-resource: 'gpu' must be the name of a resource with its domain, such as nvidia.com/gpu
            {k: {kubernetes: {gpu-types: [a100]}}}  | targets.k.kubernetes.gpu-types: is a section; what belongs to it stands below it, indented
            {k: {kubernetes: {gpu-types: {a100: }}}} | targets.k.kubernetes.gpu-types.a100: needs a name and its value below it, indented
            {k: {kubernetes: {gpu-types: {-a: {a: b}}}}} | targets.k.kubernetes.gpu-types.-a: the name must be what --gpu-type may ask for: 1 to 64 letters, digits, blanks and . _ -
            {k: {kubernetes: {gpu-types: {a100: NVIDIA}}}} | targets.k.kubernetes.gpu-types.a100: is a section; what belongs to it stands below it, indented
            {k: {kubernetes: {gpu-types: {a100: {-a: b}}}}} | targets.k.kubernetes.gpu-types.a100.-a: the name must be a label's name, such as nvidia.com/gpu.product
            {k: {kubernetes: {gpu-types: {a100: {a: b c}}}}} | targets.k.kubernetes.gpu-types.a100.a: 'b c' must be at most 63 letters, digits and . _ - in between
            {k: {kubernetes: {snapshot: nfs}}}      | targets.k.kubernetes.snapshot: 'nfs' must be secret, or a section: volume: with claim: and path:, or fetch: with url:
            {k: {kubernetes: {snapshot: {}}}}       | targets.k.kubernetes.snapshot: must be one of volume:, fetch: and secret, and 0 of them are there
            {k: {kubernetes: {snapshot: {volume: {claim: c}}}}} | targets.k.kubernetes.snapshot.volume: needs claim:, the volume's claim in the cluster, and path:, where this machine has it
            {k: {kubernetes: {snapshot: {fetch: }}}} | targets.k.kubernetes.snapshot.fetch: needs url:, this server's address as the cluster's nodes reach it
            {k: {kubernetes: {snapshot: {fetch: {url: ftp://x}}}}} | targets.k.kubernetes.snapshot.fetch.url: 'ftp://x' must be an address that begins with https:// or http://
            """)
    void whatIsWrongHasItsSentence(String targets, String sentence) throws IOException {
        assertThat(problems("targets: " + targets)).containsExactly("berth.yaml:1: " + sentence);
    }

    @Test
    void allProblemsAreToldWithThoseOfTheOtherSettings() throws IOException {
        assertThat(problems("""
                        server:
                          prot: 1
                        targets:
                          a:
                            slurm: {qos: "-"}
                          a:
                            slurm:
                          b:
                            slurm: {qos: x, qos: y}
                        """))
                .containsExactly(
                        "berth.yaml:2: server.prot: is not a setting; did you mean server.port?",
                        "berth.yaml:6: a: stands in line 4 already",
                        "berth.yaml:5: targets.a.slurm.qos: '-' must be a name of letters, digits and _ . , + -",
                        "berth.yaml:9: qos: stands in line 9 already");
    }

    @Test
    void aLauncherMustBeThereAndToBeTrusted() throws IOException {
        assertThat(problems("targets: {c: {slurm: {launcher: /nonexistent/l.sh}}}"))
                .containsExactly("/nonexistent/l.sh: there is no such file");
        Path open = Files.setPosixFilePermissions(
                file("l.sh", "exec \"$@\""), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(problems("targets: {c: {slurm: {launcher: " + open + "}}}"))
                .containsExactly("l.sh: can be written by everybody, who would rule the server by it;"
                        + " run chmod go-w on it");
    }

    @Test
    void thereIsABoundOnTargets() throws IOException {
        StringBuilder many = new StringBuilder("targets:\n");
        for (int i = 0; i <= TargetReader.MAX_TARGETS; i++) {
            many.append("  t").append(i).append(": {slurm: }\n");
        }
        assertThat(problems(many.toString()))
                .containsExactly("berth.yaml:1: targets: there are 33 targets, and there may be 32");
    }

    @Test
    void aTargetOfAnotherFileTakesThePlaceOfOneBefore() throws IOException {
        TargetReader reader = new TargetReader(UID);
        read(reader, file("a.yaml", "targets: {a: {slurm: {partition: old, qos: q}}, b: {slurm: }}"));
        read(reader, file("b.yaml", "targets: {a: {slurm: {partition: new}}}"));
        assertThat(reader.targets())
                .extracting(target -> target.settings().name())
                .containsExactly("a", "b");
        assertThat(reader.lines()).extracting("key").containsExactly("targets.a.slurm.partition", "targets.b.slurm");
    }

    @Test
    void theConfigurationShowsThemWithoutTheValuesOfVariables() throws IOException {
        Path file = file("berth.yaml", """
                targets:
                  c:
                    slurm: {partition: gpu, options: [--exclusive], environment: {SLURM_JWT: secret-token}}
                  k: {kubernetes: {tolerations: [{key: gpu}]}}
                """);
        Configuration configuration = read(new TargetReader(UID), file);
        assertThat(ConfigurationText.table(configuration))
                .anyMatch(line -> line.matches("targets\\.c\\.slurm\\.partition +gpu +\\S+/berth\\.yaml:3"))
                .anyMatch(line -> line.matches("targets\\.c\\.slurm\\.environment +SLURM_JWT +\\S+"))
                .anyMatch(line -> line.matches("targets\\.k\\.kubernetes\\.tolerations +\\[key: gpu] +\\S+"))
                .noneMatch(line -> line.contains("secret-token"));
        assertThat(ConfigurationText.json(configuration))
                .contains("targets.c.slurm.options")
                .doesNotContain("secret");
    }

    @Test
    void aServerThatKnowsNoTargetsTakesNone() throws IOException {
        Path file = file("berth.yaml", "targets: {c: {slurm: }}");
        ProcessEnvironment environment = new ProcessEnvironment(Map.of(), folder, folder, folder, UID);
        assertThat(catchThrowableOfType(
                        ConfigurationException.class,
                        () -> Configuration.read(List.of("--config=" + file), environment)))
                .isNotNull();
    }
}
