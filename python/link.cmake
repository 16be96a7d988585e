# Creates a link in TARGET for each file of a package in SOURCE, and removes links
# to files that are gone.

file(GLOB packages RELATIVE ${SOURCE} ${SOURCE}/*/__init__.py)
foreach(init IN LISTS packages)
  get_filename_component(package ${init} DIRECTORY)
  file(GLOB_RECURSE links LIST_DIRECTORIES false ${TARGET}/${package}/*)
  foreach(link IN LISTS links)
    if(IS_SYMLINK ${link} AND NOT EXISTS ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  file(GLOB_RECURSE files RELATIVE ${SOURCE}
    ${SOURCE}/${package}/*.py ${SOURCE}/${package}/*.pyi
    ${SOURCE}/${package}/py.typed)
  foreach(file IN LISTS files)
    get_filename_component(folder ${TARGET}/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(RELATIVE_PATH path ${folder} ${SOURCE}/${file})
    if(NOT IS_SYMLINK ${TARGET}/${file})
      file(CREATE_LINK ${path} ${TARGET}/${file} SYMBOLIC)
    endif()
  endforeach()
endforeach()
