package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgramTest {
    private static final String SECRET = "hush-7f3a";

    @Test
    void aJobNeedsACommand() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Program(List.of(), Map.of()))
                .withMessage("a job needs a command");
    }

    @Test
    void itsTextNamesTheVariablesAndNeverTheirValues() {
        Program program = new Program(List.of("python", "main.py"), Map.of("TOKEN", SECRET, "DEBUG", "yes-" + SECRET));
        assertThat(program.toString())
                .contains("TOKEN", "DEBUG", "python", "main.py")
                .doesNotContain(SECRET);
    }

    @Test
    void itKeepsWhatItWasGivenWhateverTheGiverDoesNext() {
        List<String> command = new ArrayList<>(List.of("true"));
        Map<String, String> environment = new LinkedHashMap<>(Map.of("A", "1"));
        Program program = new Program(command, environment);
        command.add("false");
        environment.put("B", "2");
        assertThat(program.command()).containsExactly("true");
        assertThat(program.environment()).containsExactly(Map.entry("A", "1"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> program.environment().put("C", "3"));
    }

    @Test
    void theEnvironmentIsInTheOrderOfItsNames() {
        Map<String, String> environment = new LinkedHashMap<>();
        List.of("C", "A", "B").forEach(name -> environment.put(name, "1"));
        assertThat(new Program(List.of("true"), environment).environment().keySet())
                .containsExactly("A", "B", "C");
    }

    @Test
    void itsBytesAreThoseOfItsWordsNamesAndValues() {
        Program program = new Program(List.of("/bin/true", "a€"), Map.of("N", "ü", "M", "💾"));
        assertThat(program.bytes()).isEqualTo(9 + 4 + 1 + 2 + 1 + 4);
    }
}
