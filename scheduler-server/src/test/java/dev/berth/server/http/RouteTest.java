package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.AttemptView;
import dev.berth.core.api.BackupRequest;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.DrainRequest;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.FileList;
import dev.berth.core.api.GitView;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.HealthView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseExit;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.api.LeaseStop;
import dev.berth.core.api.LeaseWaiting;
import dev.berth.core.api.LinkRequest;
import dev.berth.core.api.LinkView;
import dev.berth.core.api.LogMatches;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.Manifest;
import dev.berth.core.api.ManifestEntry;
import dev.berth.core.api.NotesRequest;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.OverviewView;
import dev.berth.core.api.PipelineRequest;
import dev.berth.core.api.PointList;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProfileView;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectRequest;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.ReadyView;
import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverRequest;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.RenameRequest;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SessionRequest;
import dev.berth.core.api.SessionView;
import dev.berth.core.api.SnapshotFiles;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.StartedSession;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.api.TagRequest;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;
import dev.berth.core.api.TasksView;
import dev.berth.core.api.TestedReceiver;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenRequest;
import dev.berth.core.api.TokenView;
import dev.berth.core.api.TrackingList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.UsageView;
import dev.berth.core.api.WarningView;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.QueueReason;
import dev.berth.core.option.Bounds;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.OptionKind;
import dev.berth.server.http.exchange.Router.Route;
import dev.berth.server.http.route.ServerResource.StopRequest;
import dev.berth.server.http.view.SpecValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The description of the API says what the server does, and the other way round. */
class RouteTest {
    private static final Set<String> METHODS =
            Set.of("get", "put", "post", "delete", "options", "head", "patch", "trace");

    private JsonNode description = MissingNode.getInstance();

    @BeforeEach
    void read() throws IOException {
        description = new YAMLMapper()
                .readTree(Path.of("..", "docs", "api", "openapi.yaml").toFile());
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void everyRouteIsDescribedAndEveryDescribedRouteIsThere(@TempDir Path directory) {
        List<String> described = new ArrayList<>();
        for (String path : names(description.path("paths"))) {
            for (String method : names(description.path("paths").path(path))) {
                if (METHODS.contains(method)) {
                    described.add(method.toUpperCase(Locale.ROOT) + " " + path);
                }
            }
        }
        try (ServerFixture fixture = new ServerFixture(directory)) {
            assertThat(fixture.routes())
                    .extracting((Route route) -> route.method() + " " + route.pattern())
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(described);
        }
    }

    @Test
    void theBoundsOfNumbersAreThoseOfTheTableOfOptions() {
        JsonNode fields = description.at("/components/schemas/SubmitRequest/properties");
        for (JobOption option : JobOption.values()) {
            if (option.kind() == OptionKind.NUMBER) {
                JsonNode field = fields.path(option.field());
                assertThat(new Bounds(
                                field.path("minimum").asLong(-1),
                                field.path("maximum").asLong(-1)))
                        .as(option.field())
                        .isEqualTo(option.bounds());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ApiError.class,
                BackupView.class,
                CheckView.class,
                DeletedJob.class,
                Explanation.class,
                GitView.class,
                GpuHistoryView.class,
                GpuList.class,
                GpuView.class,
                GpuView.Holder.class,
                HealthView.class,
                ReadyView.class,
                ReadyView.Check.class,
                JobEventView.class,
                UsageView.class,
                MachineUsageView.class,
                WarningView.class,
                JobList.class,
                LeaseEnded.class,
                LeaseGranted.class,
                LeaseGranted.LeasedGpu.class,
                LeaseState.class,
                LeaseStop.class,
                LeaseWaiting.class,
                JobView.class,
                OverviewView.class,
                ProfileList.class,
                ProfileView.class,
                TargetList.class,
                TargetView.class,
                DoctorView.class,
                DoctorFinding.class,
                ServerView.class,
                ServerView.StateCount.class,
                ServerView.FailingTask.class,
                SnapshotView.class,
                SubmitPlan.class,
                SubmitPlan.Setting.class,
                TasksView.class,
                AttemptView.class,
                TrackingView.class,
                TrackingList.class,
                TrackingView.MetricView.class,
                TrackingView.PointView.class,
                TrackingView.ArtifactView.class,
                TrackingView.ProgressView.class,
                PointList.class,
                FileList.class,
                FileList.FileView.class,
                LogMatches.class,
                LogMatches.LogMatch.class,
                SnapshotFiles.class,
                SnapshotFiles.SnapshotFile.class,
                ProjectView.class,
                ProjectList.class,
                ProjectNotes.class,
                DeletedProject.class,
                TokenView.class,
                TokenList.class,
                CreatedToken.class,
                LinkView.class,
                SessionView.class,
                StartedSession.class,
                ReceiverView.class,
                ReceiverList.class,
                TestedReceiver.class
            })
    void everyAnswerHasTheFieldsThatAreDescribed(Class<?> answer) {
        JsonNode schema = description.path("components").path("schemas").path(answer.getSimpleName());
        assertThat(names(schema.path("properties"))).containsExactlyInAnyOrderElementsOf(components(answer));
        List<String> required = new ArrayList<>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        assertThat(required)
                .as("a field without a value is there as null")
                .containsExactlyInAnyOrderElementsOf(components(answer));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BackupRequest.class,
                SubmitRequest.class,
                PipelineRequest.class,
                DrainRequest.class,
                LeaseExit.class,
                LeaseStart.class,
                StopRequest.class,
                Manifest.class,
                ManifestEntry.class,
                TokenRequest.class,
                LinkRequest.class,
                SessionRequest.class,
                TagRequest.class,
                ReceiverRequest.class,
                RenameRequest.class,
                ProjectRequest.class,
                NotesRequest.class
            })
    void everyRequestHasTheFieldsThatAreDescribed(Class<?> request) {
        JsonNode schema = description.path("components").path("schemas").path(request.getSimpleName());
        assertThat(names(schema.path("properties"))).containsExactlyInAnyOrderElementsOf(components(request));
        assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
    }

    private static List<String> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .flatMap(component -> component.getType() == OptionValues.class
                        ? Arrays.stream(JobOption.values())
                                .filter(option -> type == SubmitRequest.class || SpecValues.isShown(option))
                                .map(JobOption::field)
                                .distinct()
                        : Stream.of(component.getName()))
                .toList();
    }

    @Test
    void everySchemaIsHeldAgainstARecord() {
        assertThat(names(description.path("components").path("schemas")))
                .containsExactlyInAnyOrder(
                        "ApiError",
                        "BackupRequest",
                        "BackupView",
                        "CheckView",
                        "DeletedJob",
                        "Explanation",
                        "FailingTask",
                        "GitView",
                        "GpuHistoryView",
                        "GpuList",
                        "GpuView",
                        "Holder",
                        "HealthView",
                        "ReadyView",
                        "Check",
                        "JobEventView",
                        "WarningView",
                        "DrainRequest",
                        "JobList",
                        "JobView",
                        "LeasedGpu",
                        "LeaseEnded",
                        "LeaseExit",
                        "LeaseGranted",
                        "LeaseStart",
                        "LeaseState",
                        "LeaseStop",
                        "LeaseWaiting",
                        "Manifest",
                        "ManifestEntry",
                        "OverviewView",
                        "PipelineRequest",
                        "ProfileList",
                        "ProfileView",
                        "TargetList",
                        "TargetView",
                        "DoctorView",
                        "DoctorFinding",
                        "Reason",
                        "ServerView",
                        "Setting",
                        "SnapshotView",
                        "StateCount",
                        "StateName",
                        "StopRequest",
                        "SubmitPlan",
                        "SubmitRequest",
                        "TasksView",
                        "AttemptView",
                        "TokenRequest",
                        "TrackingView",
                        "TrackingList",
                        "TagRequest",
                        "MetricView",
                        "PointView",
                        "ArtifactView",
                        "ProgressView",
                        "PointList",
                        "FileList",
                        "FileView",
                        "LogMatches",
                        "LogMatch",
                        "SnapshotFiles",
                        "SnapshotFile",
                        "ProjectView",
                        "ProjectList",
                        "ProjectNotes",
                        "DeletedProject",
                        "RenameRequest",
                        "ProjectRequest",
                        "NotesRequest",
                        "UsageView",
                        "MachineUsageView",
                        "TokenView",
                        "TokenList",
                        "CreatedToken",
                        "LinkRequest",
                        "LinkView",
                        "SessionRequest",
                        "SessionView",
                        "StartedSession",
                        "ReceiverRequest",
                        "ReceiverView",
                        "ReceiverList",
                        "TestedReceiver");
    }

    @Test
    void everyStateAndReasonIsDescribed() {
        JsonNode schemas = description.path("components").path("schemas");
        List<String> states = new ArrayList<>();
        schemas.path("StateName").path("enum").forEach(name -> states.add(name.asText()));
        assertThat(states)
                .containsExactlyElementsOf(
                        Arrays.stream(StateName.values()).map(Enum::name).toList());
        String reasons = schemas.path("Reason").path("description").asText();
        assertThat(QueueReason.values())
                .allSatisfy(reason -> assertThat(reasons).contains("`" + reason + "`"));
        assertThat(OutcomeReason.values())
                .allSatisfy(reason -> assertThat(reasons).contains("`" + reason + "`"));
    }
}
