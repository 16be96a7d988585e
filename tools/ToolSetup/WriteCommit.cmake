# Writes the commit of the sources as a string literal, or nothing if the sources
# are not those of a git repository. A file that is the same stays, so that
# nothing is compiled again. Run as a script, with GIT, the path of git, which may
# be missing, SOURCE_DIR and OUTPUT.

set(text "")
if(GIT)
  # A folder of sources without git may be in the repository of something else.
  execute_process(
    COMMAND ${GIT} rev-parse --show-prefix --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE lines
    RESULT_VARIABLE result
    ERROR_QUIET
  )
  if(result EQUAL 0 AND lines MATCHES "^\n([0-9a-f]+)\n$")
    set(text "\" (commit ${CMAKE_MATCH_1})\"\n")
  endif()
endif()
set(old "none")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
