package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Golden;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code berth projects}: requests, output, exit codes. */
class ProjectsTest {
    private static final String LIST = "GET /api/v1/projects";
    private static final String RENAME = "POST /api/v1/projects/rename";
    private static final String DELETE = "POST /api/v1/projects/delete";
    private static final String NOTES = "POST /api/v1/projects/notes";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private static ProjectView project(String name, Map<String, Long> states, @Nullable String notes) {
        long jobs = states.values().stream().mapToLong(Long::longValue).sum();
        return new ProjectView(
                name, "ada", jobs, new TreeMap<>(states), jobs == 0 ? null : "2026-03-01T09:30:00Z", notes);
    }

    @Test
    void projectsAreATable() throws IOException {
        ProjectList list = new ProjectList(
                List.of(
                        project(
                                "mnist",
                                Map.of("COMPLETED", 120L, "RUNNING", 2L, "HELD", 1L),
                                "seed 3 \u001b[31mis red"),
                        project("old", Map.of(), "kept\there"),
                        project("ships", Map.of("FAILED", 3L, "CANCELLED", 1L, "QUEUED", 7L), null)),
                null);
        stage.server().json(LIST, 200, list).json(LIST, 200, list).json(LIST, 200, new ProjectList(List.of(), null));
        assertThat(stage.run("projects")).isZero();
        Golden.check("projects", stage.out());
        assertThat(stage.run("projects", "-q")).isZero();
        assertThat(stage.out()).endsWith("mnist\nold\nships\n");
        assertThat(stage.run("projects")).isZero();
        assertThat(stage.err()).isEqualTo("no projects; berth submit --project NAME begins one\n");
    }

    @Test
    void allPagesAreOneList() {
        stage.server()
                .json(LIST + "?user=a%20b", 200, new ProjectList(List.of(project("a&b", Map.of(), null)), "a&b"))
                .json(
                        LIST + "?user=a%20b&cursor=a%26b",
                        200,
                        new ProjectList(List.of(project("c", Map.of(), null)), null));
        assertThat(stage.run("projects", "--user", "a b", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("a&b\nc\n");
    }

    @Test
    void aProjectIsRenamed() {
        stage.server().json(RENAME, 200, project("digits", Map.of("COMPLETED", 1L), null));
        assertThat(stage.run("projects", "rename", "mnist", "digits", "--merge"))
                .isZero();
        assertThat(stage.server().received(RENAME).text())
                .isEqualTo("{\"project\":\"mnist\",\"name\":\"digits\",\"merge\":true,\"user\":null}");
        assertThat(stage.out()).isEqualTo("project 'mnist' is 'digits' now, which has 1 job\n");
    }

    @Test
    void aProjectIsDeletedStepByStep() {
        stage.server()
                .json(DELETE, 200, new DeletedProject("mnist", "ada", 100, false, List.of()))
                .json(DELETE, 200, new DeletedProject("mnist", "ada", 20, true, List.of()));
        assertThat(stage.run("projects", "delete", "mnist", "--yes")).isZero();
        assertThat(stage.out()).isEqualTo("project 'mnist' is deleted, with 120 jobs\n");
    }

    @Test
    void whatCannotBeDeletedIsSaidOnce() {
        DeletedProject stuck = new DeletedProject(
                "mnist", "ada", 0, false, List.of(new DeletedJob(7, List.of("files in /x (\u001b[31mno)"))));
        stage.server()
                .json(DELETE, 200, new DeletedProject("mnist", "ada", 1, false, List.of()))
                .json(DELETE, 200, stuck);
        assertThat(stage.run("projects", "delete", "mnist", "-y")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.out())
                .isEqualTo("project 'mnist' is not wholly deleted: 1 job of it is gone, and these are kept:\n"
                        + "  job 7: files in /x (\\x1b[31mno)\n");
    }

    @Test
    void nobodyIsAskedWhereNobodyAnswers() {
        stage.server().json(LIST, 200, new ProjectList(List.of(project("mnist", Map.of("COMPLETED", 3L), null)), null));
        assertThat(stage.run("projects", "delete", "mnist")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .isEqualTo(
                        "berth: nobody can be asked whether to delete project 'mnist' of ada with 3 jobs and its notes;"
                                + " add --yes\n");
    }

    @Test
    void whatTheServerRefusesIsSaid() {
        stage.server().json(DELETE, 409, new ApiError("PROJECT_BUSY", "it has 3 jobs that run or wait", Map.of()));
        assertThat(stage.run("projects", "delete", "mnist", "--yes")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: it has 3 jobs that run or wait\n");
    }

    @Test
    void notesArePrintedHarmlessly() {
        String target = "GET /api/v1/projects/notes?project=a/b";
        stage.server()
                .json(
                        target,
                        200,
                        new ProjectNotes("a/b", "ada", "one\ttab\r\n\u001b]0;x\u0007\n\nlast", "2026-03-01T09:30:00Z"))
                .json(target, 200, new ProjectNotes("a/b", "ada", "", null));
        assertThat(stage.run("projects", "notes", "a/b")).isZero();
        assertThat(stage.out()).isEqualTo("one    tab\n\\x1b]0;x\\x07\n\nlast\n");
        assertThat(stage.run("projects", "notes", "a/b")).isZero();
        assertThat(stage.err()).isEqualTo("project 'a/b' has no notes; berth projects notes NAME TEXT writes some\n");
    }

    @Test
    void notesComeFromTheLineOrAFile(@TempDir Path directory) throws IOException {
        ProjectNotes kept = new ProjectNotes("mnist", "ada", "n", "2026-03-01T09:30:00Z");
        stage.server()
                .json(NOTES, 200, kept)
                .json(NOTES, 200, kept)
                .json(NOTES, 200, new ProjectNotes("mnist", "ada", "", null));
        assertThat(stage.run("projects", "notes", "mnist", "seed 3")).isZero();
        assertThat(stage.server().received().getLast().text())
                .isEqualTo("{\"project\":\"mnist\",\"user\":null,\"notes\":\"seed 3\"}");
        Path file = Files.writeString(directory.resolve("n.md"), "a\n\u00e9\n");
        assertThat(stage.run("projects", "notes", "mnist", "--file", file.toString()))
                .isZero();
        assertThat(stage.server().received().getLast().text()).contains("\"notes\":\"a\\n\u00e9\\n\"");
        assertThat(stage.run("projects", "notes", "mnist", "")).isZero();
        assertThat(stage.out())
                .isEqualTo("project 'mnist' has new notes\n".repeat(2)
                        + "project 'mnist' has no notes; berth projects notes NAME TEXT writes some\n");
    }

    @Test
    void wrongLinesAreRefusedHere(@TempDir Path directory) throws IOException {
        Path large = Files.writeString(directory.resolve("large"), "x".repeat(65_537));
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 0});
        refused("berth projects takes no 'mnist'", "mnist");
        refused("berth projects rename needs the name of a project and the one that it is to have", "rename", "a");
        refused("berth projects rename takes no 'c'; a name with blanks stands in quotes", "rename", "a", "b", "c");
        refused("berth projects delete needs the name of a project; berth projects lists them", "delete");
        refused("berth projects notes needs the name of a project", "notes");
        refused("berth projects notes takes a text or --file, not both", "notes", "a", "b", "--file", "c");
        refused("has more than the 65536 bytes", "notes", "a", "--file", large.toString());
        refused("is no text in UTF-8", "notes", "a", "--file", binary.toString());
        refused(
                "is not there",
                "notes",
                "a",
                "--file",
                directory.resolve("none").toString());
        refused("cannot be read (", "notes", "a", "--file", directory.toString());
        assertThat(stage.server().received()).isEmpty();
    }

    private void refused(String sentence, String... words) {
        String[] line = new String[words.length + 1];
        line[0] = "projects";
        System.arraycopy(words, 0, line, 1, words.length);
        assertThat(stage.run(line)).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(sentence);
    }
}
