# Joins the files of the profile's report into one page and writes it as the
# elements of an array of C++. Run as a script, with FOLDER, the folder of the
# files, and OUTPUT.

file(READ ${FOLDER}/report.html page)
file(READ ${FOLDER}/uplot/LICENSE licence)
file(READ ${FOLDER}/uplot/uPlot.min.css uplot_style)
file(READ ${FOLDER}/report.css style)
set(scripts "")
foreach(file IN ITEMS uplot/uPlot.iife.min.js ${FILES})
  file(READ ${FOLDER}/${file} script)
  string(APPEND scripts "${script}\n")
endforeach()

foreach(part IN ITEMS licence uplot_style style scripts)
  string(REPLACE "<!-- ${part} -->" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REPLACE "'\\x0a'," "'\\x0a',\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
