package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.TargetEngine.Finding;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a real API server says to those who may not what Berth needs. Run as {@link RealClusterTest} is. */
@Tag("kubernetes")
class RealRightsTest {
    private static final String NAMESPACE = "berth-rights";
    private static final Handover HANDOVER = Handovers.of(7);
    private static final Handed JOB = HANDOVER.handed();

    private final KubernetesClient admin = RealClusterTest.open();

    @BeforeEach
    void makeNamespace() {
        make(NAMESPACE);
    }

    private void make(String namespace) {
        if (admin.namespaces().withName(namespace).get() == null) {
            admin.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(namespace)
                            .endMetadata()
                            .build())
                    .create();
        }
    }

    @AfterEach
    void close() {
        admin.close();
    }

    private String tokenOf(String account) {
        return admin.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName(account)
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(Duration.ofHours(1).toSeconds())
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }

    private void makeAccount(String name) {
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .build())
                .createOr(there -> there.update());
    }

    private KubernetesEngine engine(String token) {
        return engine(
                new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(admin.getConfiguration())
                                .withAutoOAuthToken(null)
                                .withOauthToken(token)
                                .withRequestRetryBackoffLimit(0)
                                .build())
                        .build(),
                NAMESPACE);
    }

    private static KubernetesEngine engine(KubernetesClient client, String namespace) {
        return new KubernetesEngine(Handovers.server(), Handovers.in(namespace), client, () -> NOW, Watched.GOOD_FOR);
    }

    private static EngineException failure(Runnable call) {
        return catchThrowableOfType(EngineException.class, call::run);
    }

    @Test
    void whoHasNoRightIsToldWhich() {
        makeAccount("nobody");
        KubernetesEngine engine = engine(tokenOf("nobody"));
        EngineException refused = failure(() -> engine.handOver(HANDOVER));
        assertThat(refused.kind()).isEqualTo(Kind.FAILING);
        assertThat(refused.sentence())
                .isEqualTo("Kubernetes does not let this server read Jobs in namespace berth-rights: jobs.batch"
                        + " \"berth-a1b2c3-7-1\" is forbidden: User \"system:serviceaccount:berth-rights:nobody\" cannot get"
                        + " resource \"jobs\" in API group \"batch\" in the namespace \"berth-rights\";"
                        + " docs/kubernetes.md has the Role that it needs");
        assertThat(failure(() -> engine.look(List.of(JOB))).sentence())
                .startsWith("Kubernetes does not let this server list pods in namespace berth-rights: ");
        assertThat(engine.examine(Handovers.ADA))
                .filteredOn(finding -> finding.name().equals("rights"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.sentence())
                        .isEqualTo("in namespace berth-rights the server may not: create jobs, get jobs, list jobs,"
                                + " watch jobs, patch jobs, delete jobs, list pods, watch pods, delete pods, get pods/log, get secrets,"
                                + " create secrets, delete secrets"));
        assertThat(engine.health().capacity()).isEmpty();
    }

    /** The text that operators are told to apply, for this namespace. */
    private static String role() throws IOException {
        String page = Files.readString(Path.of("../docs/kubernetes.md"));
        String block = page.substring(page.indexOf("```yaml") + "```yaml".length());
        return block.substring(0, block.indexOf("```"))
                .replaceAll("(?m)^   ", "")
                .replace("namespace: lab", "namespace: " + NAMESPACE);
    }

    @Test
    void theRoleOfTheDocumentsIsEnough() throws IOException {
        admin.load(new ByteArrayInputStream(role().getBytes(StandardCharsets.UTF_8)))
                .resources()
                .forEach(resource -> resource.createOr(there -> there.update()));
        KubernetesEngine engine = engine(tokenOf("berth"));
        engine.handOver(Handovers.with(HANDOVER, Handovers.snapshot("files")));
        engine.handOver(Handovers.with(HANDOVER, Handovers.snapshot("files")));
        assertThat(engine.look(List.of(JOB)).get(JOB)).isInstanceOf(Phase.Waiting.class);
        engine.cancel(JOB, Duration.ZERO);
        engine.discard(JOB);
        // What an old cluster cannot promise is no matter of rights.
        assertThat(engine.examine(Handovers.ADA))
                .filteredOn(finding -> !finding.name().equals("starts"))
                .allMatch(Finding::isWell);
        assertThat(engine.health().isWell()).isTrue();
    }

    @Test
    void aTokenThatIsUnknownIsASentence() {
        EngineException refused = failure(() -> engine("no-such-token").handOver(HANDOVER));
        assertThat(refused.kind()).isEqualTo(Kind.FAILING);
        assertThat(refused.sentence())
                .contains("does not know who this server is (401): its token or certificate has expired or is wrong");
    }

    @Test
    void aTokenWhoseAccountIsGoneIsASentence() {
        makeAccount("leaver");
        KubernetesEngine engine = engine(tokenOf("leaver"));
        admin.serviceAccounts().inNamespace(NAMESPACE).withName("leaver").delete();
        assertThat(failure(() -> engine.look(List.of(JOB))).sentence())
                .contains("does not know who this server is (401)");
        assertThat(engine.examine(Handovers.ADA))
                .first()
                .satisfies(finding -> assertThat(finding.isWell()).isFalse());
    }

    @Test
    void aNamespaceThatIsNotThereIsASentence() {
        KubernetesEngine engine = engine(admin, "berth-nowhere");
        EngineException refused = failure(() -> engine.handOver(HANDOVER));
        assertThat(refused.kind()).isEqualTo(Kind.FAILING);
        assertThat(refused.sentence())
                .isEqualTo(
                        "Kubernetes did not find what it takes to create Jobs: namespaces \"berth-nowhere\" not found;"
                                + " where the namespace is missing: kubectl create namespace berth-nowhere");
        assertThat(engine.look(List.of(JOB))).containsEntry(JOB, new Phase.Unknown());
    }

    @Test
    void aNamespaceThatIsBeingDeletedIsASentenceAndFailsNoJob() {
        String namespace = "berth-leaving";
        make(namespace);
        var kept = admin.resource(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("kept")
                .withNamespace(namespace)
                .withFinalizers("dev.berth.test/kept")
                .endMetadata()
                .build());
        kept.createOr(there -> there.update());
        admin.namespaces().withName(namespace).delete();
        try {
            EngineException refused = failure(() -> engine(admin, namespace).handOver(HANDOVER));
            assertThat(refused.kind()).isEqualTo(Kind.FAILING);
            assertThat(refused.sentence()).startsWith("namespace berth-leaving is being deleted");
        } finally {
            kept.edit(map -> new ConfigMapBuilder(map)
                    .editMetadata()
                    .withFinalizers()
                    .endMetadata()
                    .build());
        }
    }
}
