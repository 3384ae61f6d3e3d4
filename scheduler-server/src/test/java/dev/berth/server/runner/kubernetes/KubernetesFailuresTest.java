package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.http.KeyStoreFiles;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Access;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine.Ability;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kubernetes refuses or fails at, each with its sentence and the way out. */
class KubernetesFailuresTest {
    private static final String JOBS = "/apis/batch/v1/namespaces/lab/jobs";
    private static final String SECRETS = "/api/v1/namespaces/lab/secrets";
    private static final Handed JOB = handed(7);

    @TempDir
    private Path directory;

    private final MockCluster cluster = new MockCluster();
    private final KubernetesEngine engine = cluster.engine(SETTINGS, () -> NOW);

    @AfterEach
    void close() {
        cluster.close();
    }

    private EngineException refused(Handover handover) {
        return catchThrowableOfType(EngineException.class, () -> engine.handOver(handover));
    }

    private EngineException refused(int code, String reason, String message) {
        cluster.server().failNext("POST " + JOBS, code, reason, message);
        return refused(Handovers.of(7));
    }

    @Test
    void anExpiredTokenFailsNoJob() {
        EngineException failure = refused(401, "Unauthorized", "Unauthorized");
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence())
                .contains(
                        "does not know who this server is (401): its token or certificate has expired or is wrong; see"
                                + " kubectl auth whoami");
    }

    @Test
    void aMissingRightFailsNoJob() {
        cluster.server().forbid("create jobs");
        EngineException failure = refused(
                403,
                "Forbidden",
                "jobs.batch is forbidden: User \"berth\" cannot create resource \"jobs\" in API group \"batch\" in the"
                        + " namespace \"lab\"");
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence())
                .startsWith("Kubernetes does not let this server create Jobs in namespace lab: jobs.batch is forbidden:"
                        + " User")
                .endsWith("docs/kubernetes.md has the Role that it needs");
    }

    /** Of whoever asks: a later job would fail as well, and must not go first once that has passed. */
    @Test
    void whatConcernsAllIsKnownAsSuch() {
        assertThat(refused(401, "Unauthorized", "Unauthorized").scope()).isEqualTo(Scope.ALL);
        assertThat(refused(404, "NotFound", "namespaces \"lab\" not found").scope())
                .isEqualTo(Scope.ALL);
        assertThat(refused(429, "TooManyRequests", "slow down").scope()).isEqualTo(Scope.ALL);
        assertThat(refused(
                                403,
                                "Forbidden",
                                "jobs.batch \"berth-a1b2c3-7-1\" is forbidden: exceeded quota: few, requested:"
                                        + " count/jobs.batch=1, used: count/jobs.batch=4, limited: count/jobs.batch=4")
                        .scope())
                .isEqualTo(Scope.ALL);
        assertThat(refused(500, "InternalError", "a webhook failed").scope()).isEqualTo(Scope.ONE);
        engine.handOver(Handovers.of(7));
    }

    @Test
    void aQuotaThatIsUsedUpPasses() {
        EngineException failure = refused(
                403,
                "Forbidden",
                "jobs.batch \"berth-a1b2c3-7-1\" is forbidden: exceeded quota: few, requested: count/jobs.batch=1,"
                        + " used: count/jobs.batch=4, limited: count/jobs.batch=4");
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence())
                .startsWith("the quota of namespace lab is used up: ")
                .endsWith("; see kubectl -n lab describe quota");
    }

    @Test
    void aQuotaOfSecretsPassesToo() {
        cluster.server()
                .failNext(
                        "POST " + SECRETS,
                        403,
                        "Forbidden",
                        "secrets \"berth-a1b2c3-7-1\" is forbidden: exceeded quota: few, requested: count/secrets=1,"
                                + " used: count/secrets=1, limited: count/secrets=1");
        EngineException failure = catchThrowableOfType(EngineException.class, () -> engine.handOver(Handovers.of(7)));
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence()).startsWith("the quota of namespace lab is used up: ");
    }

    @Test
    void aNamespaceThatIsBeingDeletedFailsNoJob() {
        cluster.server()
                .leaveNext(
                        "POST " + JOBS,
                        "jobs.batch \"berth-a1b2c3-7-1\" is forbidden: unable to create new content in namespace lab"
                                + " because it is being terminated");
        EngineException failure = catchThrowableOfType(EngineException.class, () -> engine.handOver(Handovers.of(7)));
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence())
                .isEqualTo("namespace lab is being deleted, and takes nothing new: once it is gone, kubectl create"
                        + " namespace lab");
    }

    @Test
    void aRuleOfTheClusterRefusesTheJobForGood() {
        EngineException failure = refused(
                403, "Forbidden", "admission webhook \"images.example.org\" denied the request: not from our registry");
        assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        assertThat(failure.sentence())
                .isEqualTo("a rule of the cluster does not admit such a job: admission webhook \"images.example.org\""
                        + " denied the request: not from our registry");
    }

    @Test
    void aMissingNamespaceIsNamedWithTheCommand() {
        EngineException failure = refused(404, "NotFound", "namespaces \"lab\" not found");
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence()).endsWith("kubectl create namespace lab");
    }

    @Test
    void anInvalidJobIsRefusedForGood() {
        EngineException failure = refused(422, "Invalid", "Job.batch \"x\" is invalid: spec: Required value");
        assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        assertThat(failure.sentence()).startsWith("Kubernetes does not take the job: Job.batch");
    }

    @Test
    void aJobThatIsTooLargeIsRefusedForGood() {
        EngineException failure = refused(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
        assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        assertThat(failure.sentence())
                .isEqualTo("Kubernetes does not take the job: Request entity too large: limit is 3145728");
    }

    @Test
    void aServerInTroubleMayBeAskedAgain() {
        EngineException broken = refused(500, "InternalError", "etcdserver: request timed out");
        assertThat(broken.kind()).isEqualTo(Kind.FAILING);
        assertThat(broken.sentence())
                .isEqualTo("Kubernetes failed to create Jobs (500): etcdserver: request timed out");
        EngineException busy = refused(429, "TooManyRequests", "slow down");
        assertThat(busy.kind()).isEqualTo(Kind.FAILING);
        assertThat(busy.sentence())
                .isEqualTo("Kubernetes has too many requests at present and asks to come again: slow down");
        engine.handOver(Handovers.of(7));
    }

    /** A name that is taken is no failure of a hand-over; elsewhere two have changed the same thing. */
    @Test
    void aChangeBySomebodyElseMayBeMadeAgain() {
        engine.handOver(Handovers.of(7));
        cluster.server()
                .failNext("DELETE " + JOBS, 409, "Conflict", "the object has been modified; please apply your changes");
        EngineException failure = catchThrowableOfType(EngineException.class, () -> engine.cancel(JOB, Duration.ZERO));
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence())
                .isEqualTo(
                        "Kubernetes was changing the same thing meanwhile: the object has been modified; please apply"
                                + " your changes");
    }

    @Test
    void anAnswerThatWasLostIsNoSecondJob() {
        engine.handOver(Handovers.of(7));
        cluster.server().failNext("GET " + JOBS + "/" + JOB.name(), 404, "NotFound", "gone for a moment");
        engine.handOver(Handovers.of(7));
        assertThat(cluster.client()
                        .batch()
                        .v1()
                        .jobs()
                        .inNamespace("lab")
                        .list()
                        .getItems())
                .hasSize(1);
    }

    @Test
    void aJobOfTheSameNameThatIsNotOursIsLeftAlone() {
        cluster.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .resource(new JobBuilder(new JobManifest(SETTINGS, new AttemptLabels("other"), Brought.NOTHING)
                                .of(Handovers.of(7)))
                        .build())
                .create();
        EngineException failure = refused(Handovers.of(7));
        assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        assertThat(failure.sentence())
                .isEqualTo("there is a Job berth-a1b2c3-7-1 in namespace lab that this server did not make: look at it,"
                        + " and delete it where nobody needs it: kubectl -n lab delete job berth-a1b2c3-7-1");
        engine.cancel(JOB, Duration.ZERO);
        engine.discard(JOB);
        assertThat(cluster.job(JOB.name())).isNotNull();
        assertThat(engine.look(List.of(JOB))).containsEntry(JOB, new Phase.Unknown());
    }

    @Test
    void aJobWhoseSecretIsRefusedGoesAgain() {
        cluster.server().failNext("POST /api/v1/namespaces/lab/secrets", 422, "Invalid", "no such key");
        assertThat(refused(Handovers.of(7)).kind()).isEqualTo(Kind.REFUSED);
        assertThat(cluster.job(JOB.name())).isNull();
    }

    @Test
    void aJobWhoseSecretFailsIsCompletedLater() {
        cluster.server().failNext("POST /api/v1/namespaces/lab/secrets", 500, "InternalError", "etcd");
        assertThat(refused(Handovers.of(7)).kind()).isEqualTo(Kind.FAILING);
        engine.handOver(Handovers.of(7));
        assertThat(cluster.client()
                        .secrets()
                        .inNamespace("lab")
                        .withName(JOB.name())
                        .get())
                .isNotNull();
    }

    @Test
    void variablesThatTakeTooMuchAreRefused() {
        Handover large =
                Handovers.of(7, Handovers.gpus(0), new Program(List.of("true"), Map.of("TEXT", "x".repeat(1_100_000))));
        assertThat(refused(large).sentence())
                .matches("the job's variables take \\d+ bytes, and Kubernetes keeps at most 1000000 of them: pass large"
                        + " values in a file of the job's directory");
        assertThat(cluster.job(JOB.name())).isNull();
        assertThat(refusal(large.program().environment(), Handovers.snapshot("files"))
                        .orElseThrow())
                .startsWith("the job's variables take ");
    }

    /** At submit, before anything is handed over. */
    private Optional<String> refusal(Map<String, String> variables, Snapshot directory) {
        Handover handover = Handovers.of(7);
        return engine.refusal(
                handover.job().spec(), new Program(List.of("true"), variables), Handovers.ADA, Optional.of(directory));
    }

    @Test
    void aDirectoryThatFitsInNoSecretIsRefused() {
        byte[] noise = new byte[1_000_000];
        new SecureRandom().nextBytes(noise);
        assertThat(refused(Handovers.with(Handovers.of(7), Handovers.snapshot(noise)))
                        .sentence())
                .startsWith(
                        "the job's directory takes more than 700 kB packed, which is all that a Secret of Kubernetes"
                                + " holds: leave files out by .berthignore");
        assertThat(refusal(Map.of(), Handovers.snapshot(noise)).orElseThrow())
                .startsWith("the job's directory takes more than 700 kB packed");
        String zeros = "0".repeat(50_000_000);
        assertThat(refusal(Map.of(), Handovers.snapshot(zeros))).isEmpty();
        engine.handOver(Handovers.with(Handovers.of(7), Handovers.snapshot(zeros)));
        assertThat(Base64.getDecoder()
                        .decode(cluster.client()
                                .secrets()
                                .inNamespace("lab")
                                .withName(JOB.name() + "-snapshot")
                                .get()
                                .getData()
                                .get("snapshot.tar.gz")))
                .hasSizeLessThan(100_000);
    }

    @Test
    void anIdThatKubernetesDoesNotKnowIsRefused() {
        Submitter far = new Submitter(3_000_000_000L, 100, List.of(), "far");
        Handover handover = Handovers.of(7);
        Handover of = new Handover(
                new Handed(JOB.attempt(), JOB.name(), far, NOW), handover.job(), handover.program(), Map.of(), null);
        assertThat(refused(of).sentence())
                .isEqualTo("Kubernetes knows user and group ids up to 2147483647, and far has a larger one: submit as"
                        + " another user");
    }

    @Test
    void aPodThatCannotBeMadeSaysWhy() {
        engine.handOver(Handovers.of(7));
        cluster.client()
                .v1()
                .events()
                .inNamespace("lab")
                .resource(new EventBuilder()
                        .withNewMetadata()
                        .withName("e1")
                        .endMetadata()
                        .withReason("FailedCreate")
                        .withMessage("Error creating: pods \"x\" is forbidden: exceeded quota: gpus")
                        .withNewInvolvedObject()
                        .withKind("Job")
                        .withName(JOB.name())
                        .endInvolvedObject()
                        .build())
                .create();
        assertThat(engine.look(List.of(JOB)).get(JOB))
                .isEqualTo(new Phase.Waiting(
                        JOB.name(),
                        false,
                        "Kubernetes could not make its pod: Error creating: pods \"x\" is forbidden: exceeded"
                                + " quota: gpus"));
    }

    /** As of a proxy that knows no lists: no word of it is about a job. */
    @Test
    void aLookThatIsRefusedIsNoRefusalOfAJob() {
        engine.handOver(Handovers.of(7));
        cluster.server().failNext("GET " + JOBS + "?", 400, "BadRequest", "unable to parse the selector");
        EngineException failure = catchThrowableOfType(EngineException.class, () -> engine.look(List.of(JOB)));
        assertThat(failure.kind()).isEqualTo(Kind.FAILING);
        assertThat(failure.sentence()).isEqualTo("Kubernetes failed to list Jobs (400): unable to parse the selector");
    }

    @Test
    void aLookThatFailsSaysNothingOfAnyJob() {
        engine.handOver(Handovers.of(7));
        cluster.server().failNext("GET " + JOBS + "?", 503, "ServiceUnavailable", "the server is shutting down");
        EngineException failure = catchThrowableOfType(EngineException.class, () -> engine.look(List.of(JOB)));
        assertThat(failure.sentence()).isEqualTo("Kubernetes failed to list Jobs (503): the server is shutting down");
        assertThat(engine.look(List.of(JOB)).get(JOB)).isInstanceOf(Phase.Waiting.class);
    }

    @Test
    void aServerThatIsNotThereIsUnreachable() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        EngineException failure = away("http://127.0.0.1:" + port);
        assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(failure.sentence())
                .startsWith("Kubernetes at http://127.0.0.1:" + port + "/")
                .contains("does not answer: nothing takes connections there; try kubectl --kubeconfig ")
                .endsWith("get --raw /readyz");
    }

    @Test
    void aServerThatSaysNothingIsUnreachable() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            EngineException failure = away("http://127.0.0.1:" + socket.getLocalPort());
            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure.sentence()).contains("does not answer: no answer in time");
        }
    }

    @Test
    void aNameThatNobodyKnowsIsUnreachable() throws IOException {
        EngineException failure = away("https://kubernetes.invalid:6443");
        assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(failure.sentence())
                .endsWith("does not answer: nobody knows that name; see clusters.server in the kubeconfig");
    }

    @Test
    void aServerThatSpeaksNoTlsIsNotCalledUntrusted() throws IOException {
        EngineException failure =
                away(cluster.client().getMasterUrl().toString().replace("http://", "https://"));
        assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(failure.sentence()).contains("does not answer: no connection by TLS (");
    }

    @Test
    void aCertificateThatNobodyTrustsIsNamed() throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(
                KeyStoreFiles.of(new KeyStoreFiles(directory).store("stranger", "EC", "secp256r1"))));
        server.start();
        try {
            EngineException failure =
                    away("https://localhost:" + server.getAddress().getPort());
            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure.sentence())
                    .contains("does not answer: its certificate is not trusted (")
                    .endsWith("the kubeconfig's certificate-authority must be that of the cluster");
        } finally {
            server.stop(0);
        }
    }

    private EngineException away(String server) throws IOException {
        Path file = directory.resolve("config");
        Files.writeString(file, """
            apiVersion: v1
            kind: Config
            current-context: here
            clusters: [{name: here, cluster: {server: "%s"}}]
            contexts: [{name: here, context: {cluster: here, user: me}}]
            users: [{name: me, user: {token: secret}}]
            """.formatted(server));
        try (KubernetesEngine gone = KubernetesEngine.of(Handovers.server(), by(file), () -> NOW)) {
            assertThat(catchThrowableOfType(EngineException.class, gone::health))
                    .isNotNull();
            return catchThrowableOfType(EngineException.class, () -> gone.look(List.of(JOB)));
        }
    }

    private static KubernetesSettings by(Path kubeconfig) {
        return by(new Access(kubeconfig, null));
    }

    private static KubernetesSettings by(Access access) {
        return new KubernetesSettings(
                access,
                "lab",
                null,
                SETTINGS.nodes(),
                List.of(),
                SETTINGS.snapshots(),
                SETTINGS.startDeadline(),
                Duration.ofMillis(500));
    }

    @Test
    void aKubeconfigThatIsNotThereIsNamed() {
        Path missing = directory.resolve("missing");
        assertThat(catchThrowableOfType(
                                EngineException.class,
                                () -> KubernetesEngine.of(Handovers.server(), by(missing), () -> NOW))
                        .sentence())
                .isEqualTo("the kubeconfig " + missing + " is not there, or this server may not read it");
    }

    @Test
    void aKubeconfigThatIsNoneIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("config"), "- not: [a kubeconfig");
        assertThat(catchThrowableOfType(
                                EngineException.class,
                                () -> KubernetesEngine.of(Handovers.server(), by(file), () -> NOW))
                        .sentence())
                .startsWith("the kubeconfig " + file + " is not one that kubectl would take (");
    }

    @Test
    void aContextThatIsNotInTheKubeconfigIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("config"), """
            apiVersion: v1
            kind: Config
            clusters: [{name: here, cluster: {server: "https://here:6443"}}]
            contexts: [{name: here, context: {cluster: here, user: me}}]
            users: [{name: me, user: {token: secret}}]
            """);
        assertThat(catchThrowableOfType(
                                EngineException.class,
                                () -> KubernetesEngine.of(Handovers.server(), by(new Access(file, "there")), () -> NOW))
                        .sentence())
                .isEqualTo("the kubeconfig " + file
                        + " has no context there; kubectl config get-contexts lists those it has");
    }

    @Test
    void aContextThatIsThereIsTaken() throws IOException {
        Path file = Files.writeString(directory.resolve("config"), """
            apiVersion: v1
            kind: Config
            current-context: other
            clusters: [{name: one, cluster: {server: "http://127.0.0.1:1"}}, {name: two, cluster: {server: "http://127.0.0.1:2"}}]
            contexts: [{name: here, context: {cluster: two, user: me}}, {name: other, context: {cluster: one, user: me}}]
            users: [{name: me, user: {token: secret}}]
            """);
        try (KubernetesEngine chosen =
                KubernetesEngine.of(Handovers.server(), by(new Access(file, "here")), () -> NOW)) {
            assertThat(catchThrowableOfType(EngineException.class, chosen::health)
                            .sentence())
                    .startsWith("Kubernetes at http://127.0.0.1:2/");
        }
    }

    @Test
    void signalsAndHoldsAreRefusedWithTheWayOut() {
        assertThat(catchThrowableOfType(EngineException.class, () -> engine.signal(JOB, Signal.USR1))
                        .sentence())
                .isEqualTo("Kubernetes sends a program no signal but TERM at its end, so SIGUSR1 cannot be sent: berth"
                        + " cancel ends it");
        assertThat(catchThrowableOfType(EngineException.class, () -> engine.hold(JOB, true))
                        .kind())
                .isEqualTo(Kind.REFUSED);
        assertThat(engine.abilities().has(Ability.HOLDS)).isFalse();
        assertThat(engine.abilities().has(Ability.SIGNALS)).isFalse();
    }
}
